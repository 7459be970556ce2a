// For tests: a collection in memory, without vectors, that follows the contract as far as the code above it relies on
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loci/collection.h"
#include "store/collection_defaults.h"
#include "store/contract.h"

namespace loci {

// For one thread.
class FakeCollection : public Collection {
 public:
  std::vector<Record> records;

  Result<CollectionInfo> info() const override { return CollectionInfo{.name = "drawers", .pending = records.size()}; }

  Result<std::vector<Written>> add(std::span<const Record> added) override {
    TRY(check_records(added));
    for (const Record& record : added) {
      if (find(record.id) != nullptr) return Error{ErrorKind::already_exists, "there is a record " + record.id};
    }
    return upsert(added);
  }

  Result<std::vector<Written>> upsert(std::span<const Record> written) override {
    TRY(check_records(written));
    std::vector<Written> answer;
    for (const Record& record : written) {
      Record* old = find(record.id);
      answer.push_back({record.id, old == nullptr ? WriteState::stored : WriteState::updated});
      if (old == nullptr) {
        records.push_back(record);
      } else {
        *old = record;
      }
    }
    return answer;
  }

  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override {
    TRY(check_updates(updates));
    return update_by_get_and_upsert(*this, updates);
  }

  Result<std::size_t> erase(const Selection& selection) override {
    TRY(check_selection_for_erase(selection));
    return std::erase_if(records, [&](const Record& record) { return is_in(selection, record); });
  }

  Result<std::vector<Record>> get(const GetRequest& request) const override {
    TRY(check_get(request));
    std::vector<Record> found;
    std::size_t passed = 0;
    for (const Record& record : records) {
      if (!is_in(request.selection, record) || passed++ < request.offset) continue;
      if (request.limit && found.size() == *request.limit) break;
      found.push_back({.id = record.id});
      if (request.include.documents) found.back().document = record.document;
      if (request.include.metadatas) found.back().metadata = record.metadata;
    }
    return found;
  }

  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override {
    for (Record& record : TRY(get(request))) TRY(visit(std::move(record)));
    return ok_status();
  }

  Result<QueryResult> query(const QueryRequest&) const override { return Error{ErrorKind::unsupported, "no vectors"}; }

  // A drawer matches when it holds the text as it is; earlier ones are better.
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override {
    TRY(check_match(request));
    std::vector<WordHit> hits;
    for (const Record& record : records) {
      if (record.document.find(request.text) == std::string::npos || !matches(request.where, record.metadata)) continue;
      if (hits.size() < request.n_results) hits.push_back({record, 1.0 / static_cast<double>(hits.size() + 1)});
    }
    return hits;
  }

  Result<std::size_t> count() const override { return records.size(); }

  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override {
    return count_by_scan(*this, keys);
  }

  Result<std::vector<Change>> changes_since(std::int64_t, std::size_t) const override {
    return Error{ErrorKind::unsupported, "no change feed"};
  }

  Health health() const override { return {.healthy = true, .detail = {}}; }

 private:
  static bool is_in(const Selection& selection, const Record& record) {
    if (selection.ids && std::find(selection.ids->begin(), selection.ids->end(), record.id) == selection.ids->end()) {
      return false;
    }
    return matches(selection.where, record.metadata) && matches(selection.where_document, record.document);
  }

  Record* find(const std::string& id) {
    const auto found =
        std::find_if(records.begin(), records.end(), [&](const Record& record) { return record.id == id; });
    return found == records.end() ? nullptr : &*found;
  }
};

}  // namespace loci
