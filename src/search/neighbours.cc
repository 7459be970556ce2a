#include "search/neighbours.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "loci/filter.h"

namespace loci {
namespace {

// As ingest names them; the layers allow no include from there.
constexpr std::string_view kWing = "wing";
constexpr std::string_view kRoom = "room";
constexpr std::string_view kSource = "source_file";
constexpr std::string_view kChunkIndex = "chunk_index";

template <typename T>
const T* value_of(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : std::get_if<T>(&found->second);
}

// Where a record stands in its source.
struct Position {
  std::string source;
  std::int64_t index = 0;
};

std::optional<Position> position_of(const Record& record) {
  const auto* source = value_of<std::string>(record.metadata, kSource);
  const auto* index = value_of<std::int64_t>(record.metadata, kChunkIndex);
  if (source == nullptr || index == nullptr) return std::nullopt;
  return Position{*source, *index};
}

Filter condition(std::string_view key, FilterOperator op, MetadataValue value) {
  return Filter::of({.key = std::string(key), .op = op, .operands = {std::move(value)}});
}

// The record's surroundings, itself among them. A source lies in one place as a rule, and by the place a backend finds
// its records without reading all.
Filter around(const Record& record, const Position& position, std::int64_t count) {
  std::vector<Filter> parts = {condition(kSource, FilterOperator::eq, position.source),
                               condition(kChunkIndex, FilterOperator::gte, position.index - count),
                               condition(kChunkIndex, FilterOperator::lte, position.index + count)};
  for (const std::string_view key : {kWing, kRoom}) {
    if (const auto* place = value_of<std::string>(record.metadata, key))
      parts.push_back(condition(key, FilterOperator::eq, *place));
  }
  return Filter::all_of(std::move(parts));
}

// Conditions that hold for all of the records, outside the "any", where a backend sees them.
std::optional<Filter> one_of_their(std::string_view key, std::span<const Record* const> records) {
  Condition in{.key = std::string(key), .op = FilterOperator::in, .operands = {}};
  for (const Record* record : records) {
    const auto* value = value_of<std::string>(record->metadata, key);
    if (value == nullptr) return std::nullopt;
    if (std::find(in.operands.begin(), in.operands.end(), MetadataValue(*value)) == in.operands.end())
      in.operands.emplace_back(*value);
  }
  return Filter::of(std::move(in));
}

Filter around_all(std::span<const Record* const> records, std::int64_t count) {
  std::vector<Filter> any;
  for (const Record* record : records) {
    any.push_back(around(*record, *position_of(*record), count));
  }
  std::vector<Filter> all;
  for (const std::string_view key : {kWing, kRoom}) {
    if (std::optional<Filter> part = one_of_their(key, records)) all.push_back(*std::move(part));
  }
  all.push_back(Filter::any_of(std::move(any)));
  return Filter::all_of(std::move(all));
}

}  // namespace

Result<std::vector<Neighbours>> neighbours_of(const Collection& drawers, std::span<const Record* const> records,
                                              std::size_t count) {
  std::vector<Neighbours> answer(records.size());
  std::vector<const Record*> placed;
  for (const Record* record : records) {
    if (position_of(*record)) placed.push_back(record);
  }
  if (placed.empty() || count == 0) return answer;

  const auto reach = static_cast<std::int64_t>(count);
  std::vector<std::pair<Position, Record>> found;
  for (Record& record : TRY(drawers.get({.selection = {.where = around_all(placed, reach)}}))) {
    if (std::optional<Position> position = position_of(record))
      found.emplace_back(*std::move(position), std::move(record));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first.index < b.first.index; });
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::optional<Position> own = position_of(*records[i]);
    if (!own) continue;
    for (const auto& [position, record] : found) {
      if (position.source != own->source || record.id == records[i]->id) continue;
      if (position.index < own->index && position.index >= own->index - reach) answer[i].before.push_back(record);
      if (position.index > own->index && position.index <= own->index + reach) answer[i].after.push_back(record);
    }
  }
  return answer;
}

}  // namespace loci
