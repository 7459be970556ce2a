#include "store/chroma/server_query.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "store/chroma/server_filter.h"
#include "store/chroma/server_reader.h"
#include "store/chroma/server_records.h"
#include "vector/distance.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kMeasuredHere = 300;  // records whose vectors are fetched rather than searched on the server
constexpr std::size_t kMostAsked = 20'000;  // of the server, when a filter leaves out much of what it finds

void sort_hits(std::vector<Hit>& hits, std::size_t count) {
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.record.id < b.record.id;
  });
  if (hits.size() > count) hits.resize(count);
}

void tidy(Hit& hit, const Include& include) {
  if (!include.embeddings) hit.record.embedding.reset();
  if (!include.distances) hit.distance = 0;
}

QueryResult measure(const std::vector<Record>& records, const ServerCollectionRow& row, const QueryRequest& request,
                    const std::vector<Embedding>& queries) {
  QueryResult result;
  for (const Embedding& query : queries) {
    const DistanceTo distance(row.info.metric, query);
    std::vector<Hit>& hits = result.hits.emplace_back();
    for (const Record& record : records) {
      if (record.embedding) hits.push_back({record, double{distance(*record.embedding)}});
    }
    sort_hits(hits, request.n_results);
    for (Hit& hit : hits) tidy(hit, request.include);
  }
  return result;
}

// A cosine asks for the direction only, and the server loses that of a vector whose squared length is no normal number.
Embedding sent_query(const Embedding& query, DistanceMetric metric) {
  if (metric != DistanceMetric::cosine) return query;
  double squared = 0;
  for (const float component : query) squared += double{component} * component;
  const double length = std::sqrt(squared);
  Embedding direction;
  direction.reserve(query.size());
  for (const float component : query) direction.push_back(static_cast<float>(component / length));
  return direction;
}

// What the server finds for one query: ids and distances, nearest first, at most `count`.
Result<std::vector<Hit>> ask(const ServerClient& client, const ServerCollectionRow& row, const QueryRequest& request,
                             const Embedding& query, std::size_t count) {
  Json body = {{"query_embeddings", Json::array({sent_query(query, row.info.metric)})},
               {"n_results", count},
               {"include", Json::array({"distances"})}};
  if (Json where = server_where(request.where); !where.is_null()) body["where"] = std::move(where);
  if (Json where = server_where_document(request.where_document); !where.is_null()) {
    body["where_document"] = std::move(where);
  }
  const Json answer = TRY(client.call("POST", "collections/" + row.id + "/query", body));
  const Json ids = answer.value("ids", Json::array());
  const Json distances = answer.value("distances", Json::array());
  std::vector<Hit> hits;
  if (ids.size() != 1 || distances.size() != 1 || ids[0].size() != distances[0].size()) {
    return Error{ErrorKind::io, "the Chroma server gave an answer of an unknown shape"};
  }
  for (std::size_t i = 0; i < ids[0].size(); ++i) {
    if (!ids[0][i].is_string() || !distances[0][i].is_number()) continue;
    hits.push_back({.record = {.id = ids[0][i].get<std::string>()}, .distance = distances[0][i].get<double>()});
  }
  return hits;
}

// Those of the hits that pass the filter, with what is asked for.
Result<std::vector<Hit>> complete(const ServerReader& reader, const std::vector<Hit>& hits,
                                  const QueryRequest& request) {
  std::vector<std::string> ids;
  for (const Hit& hit : hits) ids.push_back(hit.record.id);
  const Selection selection{.where = request.where, .where_document = request.where_document};
  std::unordered_map<std::string, Record> records;
  for (Record& record : TRY(reader.matching(ids, selection, request.include))) {
    std::string id = record.id;
    records.emplace(std::move(id), std::move(record));
  }
  std::vector<Hit> passing;
  for (const Hit& hit : hits) {
    if (auto found = records.extract(hit.record.id)) passing.push_back({std::move(found.mapped()), hit.distance});
  }
  return passing;
}

// Asks for more until enough of it passes, and equal distances at the end are all there to be ordered by id.
Result<std::vector<Hit>> search(const ServerClient& client, const ServerReader& reader, const ServerCollectionRow& row,
                                const QueryRequest& request, const Embedding& query) {
  for (std::size_t count = request.n_results + 16;; count *= 4) {
    const std::vector<Hit> found = TRY(ask(client, row, request, query, count));
    std::vector<Hit> hits = TRY(complete(reader, found, request));
    const bool is_all = found.size() < count || count >= kMostAsked;
    const bool is_enough =
        hits.size() > request.n_results && hits.back().distance > hits[request.n_results - 1].distance;
    if (!is_all && !is_enough) continue;
    sort_hits(hits, request.n_results);
    for (Hit& hit : hits) tidy(hit, request.include);
    return hits;
  }
}

}  // namespace

Result<QueryResult> query_server(const ServerClient& client, const ServerCollectionRow& row,
                                 const QueryRequest& request, const std::vector<Embedding>& queries) {
  const ServerReader reader(client, row.id);
  const Selection selection{.where = request.where, .where_document = request.where_document};
  const std::optional<std::size_t> limit = request.exact ? std::nullopt : std::optional(kMeasuredHere + 1);
  const std::vector<std::string> ids = TRY(reader.candidate_ids(selection, limit));
  if (request.exact || ids.size() <= kMeasuredHere) {
    Include include = request.include;
    include.embeddings = true;
    return measure(TRY(reader.matching(ids, selection, include)), row, request, queries);
  }
  QueryResult result;
  for (const Embedding& query : queries) result.hits.push_back(TRY(search(client, reader, row, request, query)));
  return result;
}

}  // namespace loci::chroma
