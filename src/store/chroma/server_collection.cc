#include "store/chroma/server_collection.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/sha256.h"
#include "store/chroma/model_key.h"
#include "store/chroma/server_query.h"
#include "store/chroma/server_reader.h"
#include "store/chroma/server_writer.h"
#include "store/collection_defaults.h"
#include "store/contract.h"
#include "store/identity.h"

namespace loci::chroma {
namespace {

constexpr std::string_view kNameKey = "loci:name";
constexpr std::string_view kDimensionKey = "loci:dimension";
constexpr std::string_view kOurNames = "loci.";

std::string text_at(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::size_t> number_at(const Json& object, std::string_view key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || found->get<std::int64_t>() <= 0) return std::nullopt;
  return found->get<std::size_t>();
}

bool is_chroma_name(std::string_view name) {
  const auto is_alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (name.size() < 3 || name.starts_with(kOurNames) || !is_alphanumeric(name.front()) || !is_alphanumeric(name.back()))
    return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

// Stores that were upgraded say "l2" in the configuration whatever they are; their metadata knows better.
DistanceMetric metric_of(const Json& collection) {
  std::string space = text_at(collection.value("metadata", Json::object()), "hnsw:space");
  const Json configuration = collection.value("configuration_json", Json::object());
  if (space.empty() && configuration.is_object()) {
    for (const char* index : {"hnsw", "spann"}) {
      const auto found = configuration.find(index);
      if (space.empty() && found != configuration.end() && found->is_object()) space = text_at(*found, "space");
    }
  }
  return parse_distance_metric(space).value_or(DistanceMetric::l2);
}

}  // namespace

Status check_open(const ClosedFlag& closed) {
  if (!*closed) return ok_status();
  return Error{ErrorKind::backend_closed, "the backend is closed"};
}

std::string server_name(std::string_view name) {
  if (is_chroma_name(name)) return std::string(name);
  constexpr std::size_t kHashDigits = 32;
  return std::string(kOurNames) + to_hex(sha256(name)).substr(0, kHashDigits);
}

Result<ServerCollectionRow> row_from(const Json& answer) {
  if (!answer.is_object()) return Error{ErrorKind::io, "the Chroma server described a collection in an unknown way"};
  ServerCollectionRow row{.id = text_at(answer, "id"), .info = {}, .metadata = answer.value("metadata", Json())};
  if (row.id.empty()) return Error{ErrorKind::io, "the Chroma server described a collection without an id"};
  if (!row.metadata.is_object()) row.metadata = Json::object();
  const std::string own_name = text_at(row.metadata, kNameKey);
  row.info.name = own_name.empty() ? text_at(answer, "name") : own_name;
  row.info.metric = metric_of(answer);
  row.info.model = text_at(row.metadata, kModelKey);
  row.info.dimension = number_at(answer, "dimension");
  if (!row.info.dimension) row.info.dimension = number_at(row.metadata, kDimensionKey);
  return row;
}

Result<ServerCollectionRow> find_row(const ServerClient& client, std::string_view name) {
  const Result<Json> answer = client.call("GET", "collections/" + percent_encoded(server_name(name)));
  if (answer.ok()) return row_from(*answer);
  if (answer.error().kind != ErrorKind::not_found) return answer.error();
  if (!TRY(client.has_database())) {
    return Error{ErrorKind::palace_not_found, "the server " + client.place().url + " has no database " +
                                                  in_quotes(client.place().database) + " of the tenant " +
                                                  in_quotes(client.place().tenant)};
  }
  return Error{ErrorKind::collection_not_initialized,
               "the palace has no collection " + in_quotes(name) + "; a first write makes it"};
}

Status write_model(const ServerClient& client, const ServerCollectionRow& row, std::string_view model,
                   std::optional<std::size_t> dimension) {
  Json metadata = row.metadata;
  if (!model.empty()) metadata[std::string(kModelKey)] = model;
  if (dimension && *dimension > 0) metadata[std::string(kDimensionKey)] = *dimension;
  if (metadata == row.metadata) return ok_status();
  TRY(client.call("PUT", "collections/" + row.id, {{"new_metadata", metadata}}));
  return ok_status();
}

Result<std::size_t> count_rows(const ServerClient& client, const ServerCollectionRow& row) {
  const Json answer = TRY(client.call("GET", "collections/" + row.id + "/count"));
  if (!answer.is_number_unsigned()) return Error{ErrorKind::io, "the Chroma server counted in an unknown way"};
  return answer.get<std::size_t>();
}

Result<ServerCollectionRow> ServerCollection::row() const {
  TRY(check_open(closed_));
  return find_row(*client_, name_);
}

Result<ServerCollectionRow> ServerCollection::row_to_write() const {
  TRY(check_open(closed_));
  if (access_ == Access::read_only) return Error{ErrorKind::invalid_argument, "the palace was opened read-only"};
  return find_row(*client_, name_);
}

Result<CollectionInfo> ServerCollection::info() const { return TRY(row()).info; }

Result<std::vector<Written>> ServerCollection::add(std::span<const Record> records) {
  TRY(check_open(closed_));
  TRY(check_records(records, write_limits(server_backend_info())));
  return write_records(*client_, TRY(row_to_write()), embedder_, records, IfIdExists::fail);
}

Result<std::vector<Written>> ServerCollection::upsert(std::span<const Record> records) {
  TRY(check_open(closed_));
  TRY(check_records(records, write_limits(server_backend_info())));
  return write_records(*client_, TRY(row_to_write()), embedder_, records, IfIdExists::replace);
}

Result<UpdateReport> ServerCollection::update(std::span<const RecordUpdate> updates) {
  TRY(check_open(closed_));
  TRY(check_updates(updates, write_limits(server_backend_info())));
  const ServerCollectionRow row = TRY(row_to_write());
  if (row.info.dimension) TRY(check_dimension(updates, *row.info.dimension));
  return update_by_get_and_upsert(*this, updates);
}

Result<std::size_t> ServerCollection::erase(const Selection& selection) {
  TRY(check_open(closed_));
  TRY(check_selection_for_erase(selection, filter_limits(server_backend_info())));
  const ServerCollectionRow row = TRY(row_to_write());
  std::vector<std::string> ids;
  const GetRequest request{.selection = selection, .include = {.documents = false, .metadatas = false}};
  TRY(ServerReader(*client_, row.id).scan(request, [&](Record record) -> Status {
    ids.push_back(std::move(record.id));
    return ok_status();
  }));
  constexpr std::size_t kBatch = 1'000;
  for (std::size_t at = 0; at < ids.size(); at += kBatch) {
    const auto batch = std::span(ids).subspan(at, std::min(kBatch, ids.size() - at));
    TRY(client_->call("POST", "collections/" + row.id + "/delete", {{"ids", batch}}));
  }
  return ids.size();
}

Result<std::vector<Record>> ServerCollection::get(const GetRequest& request) const {
  std::vector<Record> records;
  TRY(scan(request, [&](Record record) -> Status {
    records.push_back(std::move(record));
    return ok_status();
  }));
  return records;
}

Status ServerCollection::scan(const GetRequest& request, const std::function<Status(Record)>& visit) const {
  TRY(check_open(closed_));
  TRY(check_get(request, filter_limits(server_backend_info())));
  const ServerCollectionRow found = TRY(row());
  return ServerReader(*client_, found.id).scan(request, visit);
}

Result<QueryResult> ServerCollection::query(const QueryRequest& request) const {
  TRY(check_open(closed_));
  TRY(check_query(request, filter_limits(server_backend_info())));
  std::vector<Embedding> queries = request.embeddings;
  if (!request.texts.empty()) {
    if (embedder_ == nullptr) {
      return Error{ErrorKind::invalid_argument, "a query by text needs an embedder; choose one, or give vectors"};
    }
    queries = TRY(embed_texts(*embedder_, request.texts));
  }
  const ServerCollectionRow found = TRY(row());
  if (!found.info.dimension) return QueryResult{.hits = std::vector<std::vector<Hit>>(queries.size())};
  TRY(check_dimension(queries, *found.info.dimension));
  return query_server(*client_, found, request, queries);
}

Result<std::vector<WordHit>> ServerCollection::match(const MatchRequest&) const {
  TRY(check_open(closed_));
  return Error{ErrorKind::unsupported, "a Chroma server has no search by words"};
}

Result<std::size_t> ServerCollection::count() const { return count_rows(*client_, TRY(row())); }

Result<std::vector<GroupCount>> ServerCollection::count_by(std::span<const std::string> keys) const {
  return count_by_scan(*this, keys);
}

Result<std::vector<Change>> ServerCollection::changes_since(std::int64_t, std::size_t) const {
  TRY(check_open(closed_));
  return Error{ErrorKind::unsupported, "a Chroma server does not tell what changed"};
}

Health ServerCollection::health() const {
  const Result<std::size_t> records = count();
  if (!records.ok()) return {.healthy = false, .detail = records.error().message};
  return {.healthy = true, .detail = std::to_string(*records) + " records on " + client_->place().url};
}

}  // namespace loci::chroma
