// How fast are lines of an export written and read? A line has a document of 800 characters and a vector of 384
// float32, about 5.6 kB. The parser that the protocols use reads the same line beside ours.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "bench/workloads/corpus.h"
#include "loci/collection.h"
#include "ops/record_line.h"

namespace loci::bench {
namespace {

const CollectionInfo kCollection{.name = "drawers", .dimension = 384, .model = "m"};

Record one_record() { return Corpus({}).next(1).front(); }

std::string one_line() {
  std::string line;
  return append_record_line(line, kCollection, one_record(), ExportVectors::include).ok() ? line : "";
}

void set_bytes(benchmark::State& state, const std::string& line) {
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(line.size()));
}

void write_line(benchmark::State& state) {
  const Record record = one_record();
  std::string line;
  for ([[maybe_unused]] const auto _ : state) {
    line.clear();
    benchmark::DoNotOptimize(append_record_line(line, kCollection, record, ExportVectors::include).ok());
  }
  set_bytes(state, line);
}
BENCHMARK(write_line);

void read_line(benchmark::State& state) {
  const std::string line = one_line();
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(parse_record_line(line).ok());
  set_bytes(state, line);
}
BENCHMARK(read_line);

void read_line_with_nlohmann(benchmark::State& state) {
  const std::string line = one_line();
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(line).size());
  set_bytes(state, line);
}
BENCHMARK(read_line_with_nlohmann);

}  // namespace
}  // namespace loci::bench
