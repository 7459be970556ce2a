// index_metadata.pickle: which record has which label in the vector index.
//
// A pickle is a program. This reader knows the few instructions that Chroma's have, makes numbers, texts and maps of
// them, and never looks up or calls anything: a foreign instruction ends the reading. What was read until the end, or
// until the file was cut, is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace loci::chroma {

struct IndexMetadata {
  std::uint64_t total_elements_added = 0;  // the highest label so far
  std::optional<std::int64_t> max_seq_id;  // the frontier; only up to 0.5.5
  std::int64_t last_seq = 0;  // the highest of the writes that its records are of; 0: not said, as from 1.0 on
  std::vector<std::pair<std::string, std::uint64_t>> labels;  // of the live records; in the order of the file
  std::string problem;                                        // why not all was read; empty: it is whole
};

IndexMetadata parse_index_metadata(std::span<const std::uint8_t> bytes);

}  // namespace loci::chroma
