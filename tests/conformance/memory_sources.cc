// Sources in memory: the meaning of replace_sources, written as plainly as it can be.
#include "base/clock.h"
#include "tests/conformance/memory_state.h"

namespace loci::conformance {
namespace {

// The source of the update, with its records if it had another name.
StoredSource& find_or_make(StoredCollection& stored, const SourceUpdate& update, bool& is_new, bool& is_renamed) {
  const auto found = stored.sources.find(update.name);
  is_new = found == stored.sources.end();
  const bool is_left_over = !is_new && !found->second.state && stored.rows_of(update.name).empty();
  if ((is_new || is_left_over) && update.renamed_from) {
    auto renamed = stored.sources.extract(*update.renamed_from);
    if (!renamed.empty()) {
      is_new = false;
      is_renamed = true;
      for (const std::int64_t row : stored.rows_of(*update.renamed_from))
        stored.rows.at(row).details->key->source = update.name;
      if (is_left_over) renamed.mapped().erased.merge(found->second.erased);
      stored.sources.erase(update.name);
      renamed.key() = update.name;
      stored.sources.insert(std::move(renamed));
    }
  }
  return stored.sources[update.name];
}

// Pairs that the record had from its source follow it.
Metadata follow(Metadata metadata, const Metadata& old_shared, const Metadata& shared, const Metadata& position) {
  const auto value_in = [](const Metadata& pairs, const std::string& key) {
    const auto found = pairs.find(key);
    return found == pairs.end() ? std::optional<MetadataValue>() : std::optional(found->second);
  };
  for (const auto& [key, value] : shared) {
    if (value_in(metadata, key) == value_in(old_shared, key)) metadata[key] = value;
  }
  for (const auto& [key, value] : position) metadata[key] = value;
  return metadata;
}

void store(StoredCollection& stored, const SourceUpdate& update, const SourceRecord& now, const Metadata& shared) {
  Record record{.id = now.id, .document = now.document, .metadata = shared};
  for (int number = 2; stored.find(record.id) != nullptr; ++number) record.id = now.id + "_" + std::to_string(number);
  for (const Metadata* pairs : {&update.for_new, &now.position}) {
    for (const auto& [key, value] : *pairs) record.metadata[key] = value;
  }
  RecordDetails& details = record.details.emplace();
  details.key = UniqueKey{update.name, now.content_hash, now.occurrence};
  details.created_at = details.updated_at = now_unix_ms();
  stored.note(ChangeKind::written, record.id);
  stored.row_of[record.id] = ++stored.last_row;
  stored.rows[stored.last_row] = std::move(record);
}

}  // namespace

SourceReport replace_source(StoredCollection& stored, const SourceUpdate& update) {
  SourceReport report;
  bool is_new = false;
  bool is_renamed = false;
  StoredSource& source = find_or_make(stored, update, is_new, is_renamed);
  if (!is_new && !is_renamed && !update.restores_erased && source.state == update.state) {
    report.unchanged = update.records.size();
    return report;
  }
  if (update.restores_erased) source.erased.clear();
  const Metadata old_shared = source.shared;
  Metadata shared = update.shared;
  for (const auto& [key, value] : update.for_new) {
    if (is_new) shared[key] = value;
    if (const auto old = old_shared.find(key); !is_new && old != old_shared.end()) shared[key] = old->second;
  }
  std::set<std::string> before;
  for (const std::int64_t row : stored.rows_of(update.name)) before.insert(stored.rows.at(row).id);
  std::set<std::string> hashes;
  for (const SourceRecord& now : update.records) {
    hashes.insert(now.content_hash);
    const std::optional<std::string> id = stored.find_key({update.name, now.content_hash, now.occurrence});
    if (id) {
      before.erase(*id);
      Record& record = *stored.find(*id);
      Metadata metadata = follow(record.metadata, old_shared, shared, now.position);
      ++(metadata == record.metadata ? report.unchanged : report.moved);
      if (metadata == record.metadata) continue;
      record.metadata = std::move(metadata);
      stored.note(ChangeKind::written, *id);
    } else if (now.is_erased && !update.restores_erased) {
      source.erased.emplace(now.content_hash, now.occurrence);
      ++report.held_back;
    } else if (source.erased.contains({now.content_hash, now.occurrence})) {
      ++report.held_back;
    } else {
      store(stored, update, now, shared);
      ++report.stored;
    }
  }
  for (const std::string& id : before) stored.erase_row(stored.row_of.at(id));
  report.removed = before.size();
  std::erase_if(source.erased, [&](const auto& key) { return !hashes.contains(key.first); });
  source.shared = std::move(shared);
  source.state = update.state;
  return report;
}

}  // namespace loci::conformance
