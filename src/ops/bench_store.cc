#include "ops/bench_store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <thread>

namespace loci {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatch = 1'000;
constexpr std::string_view kIdPrefix = "row-";
constexpr std::size_t kDigits = 8;
constexpr std::string_view kPartKey = "part";

constexpr auto kPoll = 5ms;
constexpr double kQuietSeconds = 1;  // without a change: a builder that is about to start has started

struct Published {
  std::int64_t segments = 0;
  std::int64_t tail = 0;
  bool is_building = false;
  bool has_index = false;
  friend bool operator==(const Published&, const Published&) = default;
};

Published published_in(const Metadata& state) {
  const auto building = state.find("building");
  return {.segments = number_in(state, "segments"),
          .tail = number_in(state, "tail"),
          .is_building = building != state.end() && building->second == MetadataValue(true),
          .has_index = state.contains("segments")};
}

}  // namespace

std::string id_of_row(std::size_t row) {
  std::string digits = std::to_string(row);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kIdPrefix) + digits;
}

std::size_t row_of_id(std::string_view id) {
  id.remove_prefix(std::min(id.size(), kIdPrefix.size()));
  std::size_t row = 0;
  std::from_chars(id.data(), id.data() + id.size(), row);
  return row;
}

bool is_in_part(std::size_t row, double fraction) {
  const auto before = static_cast<double>(row);
  return std::floor((before + 1) * fraction) > std::floor(before * fraction);
}

Filter part_filter() {
  return Filter::of({.key = std::string(kPartKey), .op = FilterOperator::eq, .operands = {true}});
}

Status store_rows(Collection& collection, const VectorFile& base, std::optional<double> fraction,
                  const BenchProgress& progress) {
  std::vector<Record> batch;
  for (std::size_t row = 0; row < base.rows(); ++row) {
    const std::span<const float> values = base.row(row);
    Record& record = batch.emplace_back();
    record.id = id_of_row(row);
    record.embedding = Embedding(values.begin(), values.end());
    if (fraction) record.metadata[std::string(kPartKey)] = is_in_part(row, *fraction);
    if (batch.size() < kBatch && row + 1 < base.rows()) continue;
    TRY(collection.upsert(batch));
    batch.clear();
    TRY(progress("rows", row + 1, base.rows()));
  }
  return {};
}

Result<std::vector<std::size_t>> nearest_rows(const Collection& collection, std::span<const float> query,
                                              const Filter& where) {
  QueryRequest request{
      .n_results = kBenchNeighbours, .where = where, .include = {.documents = false, .metadatas = false}};
  request.embeddings.emplace_back(query.begin(), query.end());
  const QueryResult result = TRY(collection.query(request));
  std::vector<std::size_t> rows;
  for (const Hit& hit : result.hits.front()) rows.push_back(row_of_id(hit.record.id));
  return rows;
}

Result<double> await_background(Backend& backend, const PalaceRef& palace, const BenchProgress& progress) {
  const Stopwatch watch;
  Published last = published_in(TRY(backend.maintenance_state(palace, Access::read_write)));
  if (!last.has_index) return 0;
  double changed_at = 0;
  double published_at = 0;
  while (last.is_building || watch.seconds() - changed_at < kQuietSeconds) {
    std::this_thread::sleep_for(kPoll);
    const Published now = published_in(TRY(backend.maintenance_state(palace, Access::read_write)));
    if (now == last) continue;
    changed_at = watch.seconds();
    if (now.segments != last.segments || now.tail != last.tail) published_at = changed_at;
    last = now;
    TRY(progress("rows to index", static_cast<std::uint64_t>(last.tail), 0));
  }
  return published_at;
}

std::int64_t number_in(const Metadata& state, std::string_view key) {
  const auto found = state.find(key);
  const auto* number = found == state.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

}  // namespace loci
