// When the vector index is built, and how. The defaults are for users; tests and benches set their own.
#pragma once

#include <cstddef>

#include "base/file_layer.h"

namespace loci::embedded {

struct IndexOptions {
  std::size_t first_rows = 2000;          // a collection with fewer vectors is scanned
  std::size_t tail_rows = 1000;           // vectors that are in no segment yet are scanned until there are so many
  std::size_t scan_bytes_up_to = 50'000;  // rows of a segment: fewer need no one-bit codes
  std::size_t partition_rows = 50'000;    // rows of a segment: more are sorted into lists
  std::size_t segment_bytes = std::size_t{1} << 30;  // of codes in one segment; more rows make several
  bool after_every_write = false;                    // in the writing call itself
  FileLayer* files = &system_files();
};

}  // namespace loci::embedded
