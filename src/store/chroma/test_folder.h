// Chroma's files made by hand, for tests: small, and wrong where a test wants them to be.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "store/chroma/hnsw_files.h"

namespace loci::chroma {

using Bytes = std::vector<std::uint8_t>;

template <typename Number>
void append(Bytes& bytes, Number number) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof number);
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

inline Bytes made_header(const HnswGeometry& geometry, std::uint64_t count) {
  Bytes bytes;
  append<std::int32_t>(bytes, 1);
  append<std::uint64_t>(bytes, 0);
  append<std::uint64_t>(bytes, 1000);
  append<std::uint64_t>(bytes, count);
  append<std::uint64_t>(bytes, geometry.slot_bytes());
  append<std::uint64_t>(bytes, geometry.label_offset());
  append<std::uint64_t>(bytes, geometry.data_offset());
  append<std::int32_t>(bytes, 0);
  append<std::uint32_t>(bytes, 0);
  append<std::uint64_t>(bytes, geometry.neighbours);
  append<std::uint64_t>(bytes, 2 * geometry.neighbours);
  append<std::uint64_t>(bytes, geometry.neighbours);
  append<double>(bytes, 0.36);
  append<std::uint64_t>(bytes, 100);
  return bytes;
}

inline void append_slot(Bytes& bytes, const HnswGeometry& geometry, std::uint64_t label, const Embedding& vector,
                        bool is_deleted = false) {
  const std::size_t at = bytes.size();
  bytes.resize(at + geometry.slot_bytes());
  bytes[at + 2] = is_deleted ? 1 : 0;
  std::memcpy(bytes.data() + at + geometry.data_offset(), vector.data(), 4 * geometry.dimension);
  std::memcpy(bytes.data() + at + geometry.label_offset(), &label, sizeof label);
}

// As Chroma 1.x writes it.
inline Bytes made_pickle(const std::vector<std::pair<std::string, std::uint32_t>>& labels, std::uint32_t total) {
  Bytes bytes{0x80, 3, '}', '('};
  const auto text = [&](const std::string& value) {
    bytes.push_back('X');
    append(bytes, static_cast<std::uint32_t>(value.size()));
    bytes.insert(bytes.end(), value.begin(), value.end());
  };
  const auto number = [&](std::uint32_t value) {
    bytes.push_back('J');
    append(bytes, value);
  };
  text("dimensionality");
  bytes.push_back('N');
  text("total_elements_added");
  number(total);
  text("max_seq_id");
  bytes.push_back('N');
  text("id_to_label");
  bytes.insert(bytes.end(), {'}', '('});
  for (const auto& [id, label] : labels) {
    text(id);
    number(label);
  }
  bytes.push_back('u');
  text("label_to_id");
  bytes.insert(bytes.end(), {'}', '('});
  for (const auto& [id, label] : labels) {
    number(label);
    text(id);
  }
  bytes.push_back('u');
  text("id_to_seq_id");
  bytes.insert(bytes.end(), {'}', 'u', '.'});
  return bytes;
}

}  // namespace loci::chroma
