// Writes that keep the vector index busy: every few records a segment is made, merged or replaced.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "store/embedded/embedded_backend.h"

namespace loci::crash {

inline constexpr int kIndexBatch = 12;

inline embedded::IndexOptions busy_index(FileLayer& files = system_files()) {
  return {.first_rows = 10, .tail_rows = 10, .scan_bytes_up_to = 0, .partition_rows = 20, .files = &files};
}

// Far from all others: whoever asks for it finds it first.
inline Embedding index_vector(int number) {
  Embedding vector(16, 0.01F);
  for (std::size_t i = 0; i < vector.size(); ++i)
    vector[i] += static_cast<float>((static_cast<unsigned>(number) * 2654435761U >> i % 24) & 255U);
  return vector;
}

inline std::vector<Record> index_records(int first, int count = kIndexBatch) {
  std::vector<Record> records;
  for (int i = first; i < first + count; ++i)
    records.push_back({.id = "n" + std::to_string(i), .document = "text", .embedding = index_vector(i)});
  return records;
}

// What is wrong with searches for the records 0 to `count` - 1; empty when nothing is. A record that is asked for by
// its own vector is found, and what the index finds is what a scan finds.
inline std::vector<std::string> index_violations(const PalaceRef& palace, int count,
                                                 const embedded::IndexOptions& options) {
  const auto backend = make_embedded_backend(options);
  const auto opened = backend->collection(palace, "drawers", {});
  if (!opened.ok()) return {opened.error().message};
  std::vector<std::string> wrong;
  for (int i = 0; i < count; ++i) {
    QueryRequest request{.embeddings = {index_vector(i)}, .n_results = 3};
    const auto found = (*opened)->query(request);
    if (!found.ok()) return {found.error().message};
    const std::string id = "n" + std::to_string(i);
    const bool is_there =
        std::any_of(found->hits[0].begin(), found->hits[0].end(), [&](const Hit& hit) { return hit.record.id == id; });
    if (!is_there) wrong.push_back(id + " is not found");
    if (i % 7 != 0) continue;
    request.exact = true;
    const auto exact = (*opened)->query(request);
    if (!exact.ok() || exact->hits != found->hits) wrong.push_back(id + " has other neighbours by the index");
  }
  return wrong;
}

}  // namespace loci::crash
