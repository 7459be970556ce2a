// How long a search takes from the question to the hits, and where the time goes. What `loci bench search` shows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "loci/backend.h"
#include "loci/embedder.h"
#include "loci/result.h"
#include "ops/bench_measure.h"

namespace loci {

// Runs a search of its own in a new process, in the collection kBenchCollection of the palace; the seconds it took.
using RunSearchProcess =
    std::function<Result<double>(const std::filesystem::path& palace, const std::string& question)>;

struct SearchBenchRequest {
  std::size_t records = 10'000;
  std::size_t dimension = 384;         // of the stored vectors; the embedder's, if there is one
  const Embedder* embedder = nullptr;  // of the questions; null: by words only
  std::filesystem::path folder = {};   // where the palace is made; empty: the system's for temporary files
  RunSearchProcess run_process = {};   // empty: not measured
};

struct SearchBenchReport {
  std::size_t calls = 0;
  Latency total;
  Latency without_embedding;
  Latency embed;
  Latency words;
  Latency vectors;
  Latency fetch;
  Latency rest;
  std::optional<double> new_process_ms = {};  // the middle of several
  double load_seconds = 0;
  double index_seconds = 0;
};

// Makes a palace of made-up texts and vectors, asks questions of eight words, and removes it. Errors: those of the
// backend and the embedder; what `progress` returns.
Result<SearchBenchReport> bench_search(Backend& backend, const SearchBenchRequest& request,
                                       const BenchProgress& progress);

}  // namespace loci
