#include "ops/bench_store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace loci {
namespace {

constexpr std::size_t kRowsAtOnce = 1'000;
constexpr std::string_view kIdPrefix = "row-";
constexpr std::size_t kDigits = 8;
constexpr std::string_view kPartKey = "part";

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
    if (batch.size() < kRowsAtOnce && row + 1 < base.rows()) continue;
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

Result<double> index_step(Collection& collection, const BenchProgress& progress) {
  const Stopwatch watch;
  const std::size_t rows = TRY(collection.index_pending());
  if (rows == 0) return 0;
  TRY(progress("rows indexed", rows, 0));
  return watch.seconds();
}

Result<double> build_index(Collection& collection, const BenchProgress& progress) {
  double seconds = 0;
  for (double step = TRY(index_step(collection, progress)); step > 0; step = TRY(index_step(collection, progress)))
    seconds += step;
  return seconds;
}

std::int64_t number_in(const Metadata& state, std::string_view key) {
  const auto found = state.find(key);
  const auto* number = found == state.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

}  // namespace loci
