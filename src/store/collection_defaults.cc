#include "store/collection_defaults.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace loci {
namespace {

void merge(const RecordUpdate& update, Record& record) {
  if (update.document) record.document = *update.document;
  if (update.metadata) {
    for (const auto& [key, value] : *update.metadata) record.metadata.insert_or_assign(key, value);
  }
  record.embedding = update.embedding;  // absent: upsert keeps the vector as long as the document is the same
}

std::optional<std::string> string_at(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

}  // namespace

Result<UpdateReport> update_by_get_and_upsert(Collection& collection, std::span<const RecordUpdate> updates) {
  GetRequest request{.selection = {.ids = std::vector<std::string>{}}};
  for (const RecordUpdate& update : updates) request.selection.ids->push_back(update.id);
  std::unordered_map<std::string, Record> found;
  for (Record& record : TRY(collection.get(request))) {
    std::string id = record.id;
    found.emplace(std::move(id), std::move(record));
  }

  UpdateReport report;
  std::vector<Record> changed;
  for (const RecordUpdate& update : updates) {
    const auto record = found.find(update.id);
    if (record == found.end()) {
      report.missing.push_back(update.id);
      continue;
    }
    merge(update, record->second);
    changed.push_back(std::move(record->second));
    report.updated.push_back(update.id);
  }
  TRY(collection.upsert(changed));
  return report;
}

Result<std::vector<GroupCount>> count_by_scan(const Collection& collection, std::span<const std::string> keys) {
  const GetRequest request{.include = {.documents = false, .distances = false}};
  std::map<std::vector<std::optional<std::string>>, std::size_t> counts;
  TRY(collection.scan(request, [&](const Record& record) -> Status {
    std::vector<std::optional<std::string>> values;
    values.reserve(keys.size());
    for (const std::string& key : keys) values.push_back(string_at(record.metadata, key));
    ++counts[std::move(values)];
    return ok_status();
  }));

  std::vector<GroupCount> groups;
  groups.reserve(counts.size());
  for (const auto& [values, count] : counts) groups.push_back({.values = values, .count = count});
  return groups;
}

}  // namespace loci
