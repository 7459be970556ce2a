#include "store/chroma/server_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "store/chroma/server_filter.h"
#include "store/chroma/server_records.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kPage = 500;

Json include_to_json(const Include& include) {
  Json list = Json::array();
  if (include.documents) list.push_back("documents");
  if (include.metadatas) list.push_back("metadatas");
  return list;
}

bool passes(const Selection& selection, const Record& record) {
  return matches(selection.where, record.metadata) && matches(selection.where_document, record.document);
}

}  // namespace

ServerReader::ServerReader(const ServerClient& client, std::string_view collection)
    : client_(client), path_("collections/" + std::string(collection) + "/get") {}

Result<Json> ServerReader::get(const Json& request) const { return client_.call("POST", path_, request); }

Result<std::vector<std::string>> ServerReader::candidate_ids(const Selection& selection,
                                                             std::optional<std::size_t> limit) const {
  Json request = {{"include", Json::array()}};
  if (selection.ids) request["ids"] = *selection.ids;
  if (Json where = server_where(selection.where); !where.is_null()) request["where"] = std::move(where);
  if (Json where = server_where_document(selection.where_document); !where.is_null()) {
    request["where_document"] = std::move(where);
  }
  if (limit) request["limit"] = *limit;
  std::vector<std::string> ids;
  for (Record& record : TRY(records_from_get(TRY(get(request))))) ids.push_back(std::move(record.id));
  return ids;
}

Result<std::vector<Record>> ServerReader::read(const std::vector<std::string>& ids, const Include& include) const {
  std::vector<Record> records;
  for (std::size_t at = 0; at < ids.size(); at += kPage) {
    for (Record& record : TRY(read_page(std::span(ids).subspan(at, std::min(kPage, ids.size() - at)), include)))
      records.push_back(std::move(record));
  }
  return records;
}

Result<std::vector<Record>> ServerReader::read_page(std::span<const std::string> ids, const Include& include) const {
  const Json answer = TRY(get({{"ids", ids}, {"include", include_to_json(include)}}));
  std::vector<Record> records = TRY(records_from_get(answer));
  if (include.embeddings) TRY(add_vectors(records));
  return records;
}

// One record without a vector makes the server refuse the whole page, so halves are asked for until it is found.
Status ServerReader::add_vectors(std::span<Record> records) const {
  if (records.empty()) return ok_status();
  Json ids = Json::array();
  for (const Record& record : records) ids.push_back(record.id);
  const Result<Json> answer = get({{"ids", ids}, {"include", Json::array({"embeddings"})}});
  if (!answer.ok()) {
    const bool is_lost = answer.error().kind == ErrorKind::internal;
    if (!is_lost) return answer.error();
    if (records.size() == 1) return ok_status();
    TRY(add_vectors(records.first(records.size() / 2)));
    return add_vectors(records.subspan(records.size() / 2));
  }
  std::unordered_map<std::string, Embedding> vectors;
  for (Record& record : TRY(records_from_get(*answer))) {
    if (record.embedding) vectors.emplace(std::move(record.id), *std::move(record.embedding));
  }
  for (Record& record : records) {
    if (const auto found = vectors.find(record.id); found != vectors.end()) record.embedding = std::move(found->second);
  }
  return ok_status();
}

Result<std::vector<Record>> ServerReader::matching(const std::vector<std::string>& ids, const Selection& selection,
                                                   const Include& include) const {
  Include needed = include;
  needed.documents = include.documents || !selection.where_document.is_empty();
  needed.metadatas = include.metadatas || !selection.where.is_empty();
  std::vector<Record> records = TRY(read(ids, needed));
  std::erase_if(records, [&](const Record& record) { return !passes(selection, record); });
  for (Record& record : records) {
    if (!include.documents) record.document.clear();
    if (!include.metadatas) record.metadata.clear();
  }
  return records;
}

Status ServerReader::scan(const GetRequest& request, const std::function<Status(Record)>& visit) const {
  if (request.limit == 0U) return ok_status();
  const Selection& selection = request.selection;
  if (selection.ids && selection.ids->empty()) return ok_status();
  const std::vector<std::string> ids = TRY(candidate_ids(selection));
  const bool is_filtered = !selection.where.is_empty() || !selection.where_document.is_empty();
  std::size_t skip = request.offset;
  std::size_t left = request.limit.value_or(ids.size());
  std::size_t at = is_filtered ? 0 : std::min(std::exchange(skip, 0), ids.size());
  for (; at < ids.size() && left > 0; at += kPage) {
    const std::vector<std::string> page(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                        ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + kPage, ids.size())));
    for (Record& record : TRY(matching(page, selection, request.include))) {
      if (skip > 0) {
        --skip;
        continue;
      }
      TRY(visit(std::move(record)));
      if (--left == 0) return ok_status();
    }
  }
  return ok_status();
}

}  // namespace loci::chroma
