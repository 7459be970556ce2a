// Vectors as they lie in the database: float32, little end first, bit for bit as they were given.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "loci/record.h"

namespace loci::embedded {

static_assert(std::endian::native == std::endian::little, "vectors are stored little end first and are not converted");

inline std::span<const std::uint8_t> as_blob(const Embedding& embedding) {
  return {reinterpret_cast<const std::uint8_t*>(embedding.data()), embedding.size() * sizeof(float)};
}

inline Embedding from_blob(std::span<const std::uint8_t> blob) {
  Embedding embedding(blob.size() / sizeof(float));
  if (!embedding.empty()) std::memcpy(embedding.data(), blob.data(), embedding.size() * sizeof(float));
  return embedding;
}

}  // namespace loci::embedded
