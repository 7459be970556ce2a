// The container of a packed model: a header with checksum, then sections (packed_model.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "loci/result.h"

namespace loci {

// The files that a block is made from.
struct PackedFrom {
  Sha256 identity;  // tells at little cost whether they are still the same
  Sha256 content;   // the hash of every byte of them
};

class SectionWriter {
 public:
  SectionWriter();

  template <typename T>
  void add(std::span<const T> values) {
    add_bytes({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  void add_bytes(std::string_view bytes);

  // The block with its header.
  std::string finish(std::uint32_t kind, const PackedFrom& from) &&;

 private:
  std::string block_;
};

class SectionReader {
 public:
  // Errors: corruption, when the header is not that of a block of this kind and identity, or the checksum differs.
  static Result<SectionReader> open(std::span<const std::uint8_t> block, std::uint32_t kind, const Sha256& identity);

  const Sha256& content() const { return content_; }

  // The bytes of the next section.
  Result<std::span<const std::uint8_t>> next();

  // The next section as an array of exactly `count` values.
  template <typename T>
  Result<const T*> next_array(std::size_t count) {
    const std::span<const std::uint8_t> bytes = TRY(next());
    if (bytes.size() != count * sizeof(T)) return damaged();
    return reinterpret_cast<const T*>(bytes.data());
  }

 private:
  SectionReader(std::span<const std::uint8_t> rest, const Sha256& content) : rest_(rest), content_(content) {}
  static Error damaged();

  std::span<const std::uint8_t> rest_;
  Sha256 content_;
};

}  // namespace loci
