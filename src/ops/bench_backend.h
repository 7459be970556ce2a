// Question: what does a backend do right after a bulk load, when its background work is done, and after each kind of
// maintenance? (Rule M3 of the storage contract.)
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "ops/bench_measure.h"

namespace loci {

struct BackendBenchRequest {
  std::size_t records = 10'000;
  std::size_t dimension = 384;
  std::filesystem::path folder = {};  // where the palace is made; empty: where temporary files go
};

struct BackendBenchPhase {
  std::string name;  // "loaded", "settled", "analyze", …
  std::optional<MaintenanceReport> maintenance = {};
  Latency query;                      // ten nearest by vector
  Latency filtered;                   // the same within a tenth of the records
  std::optional<Latency> match = {};  // ten best by words, where the backend has them
  Latency get;                        // one record by its id
  Metadata state = {};                // maintenance_state beside the figures
};

struct BackendBenchReport {
  double load_seconds = 0;
  double settle_seconds = 0;
  std::vector<BackendBenchPhase> phases;
};

// Makes a palace, or for servers a namespace, of its own and removes it. Errors: those of the backend and of
// `progress`.
Result<BackendBenchReport> bench_backend(Backend& backend, const BackendBenchRequest& request,
                                         const BenchProgress& progress);

}  // namespace loci
