#include "store/chroma/server_writer.h"

#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "store/chroma/server_reader.h"
#include "store/chroma/server_records.h"
#include "store/contract.h"
#include "store/identity.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kRequestBytes = std::size_t{24} << 20;  // the server takes 40 MB

// A record on its way, and what the server has under its id.
struct Item {
  const Record* record;
  std::optional<Embedding> made = {};  // by the embedder
  const Record* old = nullptr;
  bool keeps_vector = false;  // the server's own stays

  const Embedding* vector() const { return made ? &*made : record->embedding ? &*record->embedding : nullptr; }
};

using OldRecords = std::unordered_map<std::string, Record>;

Result<OldRecords> read_old(const ServerReader& reader, std::span<const Record> records) {
  std::vector<std::string> ids;
  for (const Record& record : records) ids.push_back(record.id);
  OldRecords old;
  for (Record& record : TRY(reader.read(ids, {}))) {
    std::string id = record.id;
    old.emplace(std::move(id), std::move(record));
  }
  return old;
}

// The server keeps directions and lengths apart; a length that is no number would lose both.
Status check_length(const Record& record, const Embedding& vector, DistanceMetric metric) {
  if (metric != DistanceMetric::cosine) return ok_status();
  float squared = 0;
  for (const float component : vector) squared += component * component;
  if (std::isnormal(squared)) return ok_status();
  return Error{ErrorKind::invalid_argument, "the vector of record " + in_quotes(record.id) +
                                                " is too long or too short for a cosine collection of Chroma"};
}

// Gives vectors to the items that need one.
Status embed(const ServerClient& client, const ServerCollectionRow& row, const Embedder* embedder,
             std::vector<Item>& items) {
  std::vector<Item*> without;
  std::vector<std::string> texts;
  for (Item& item : items) {
    if (item.vector() != nullptr || item.keeps_vector) continue;
    without.push_back(&item);
    texts.push_back(item.record->document);
  }
  if (without.empty()) return ok_status();
  if (embedder == nullptr) {
    return Error{ErrorKind::unsupported,
                 "record " + in_quotes(without.front()->record->id) +
                     " has no vector, and a Chroma server keeps none without; choose an embedder"};
  }
  const bool has_vectors = TRY(count_rows(client, row)) > 0;
  const IdentityCheck identity = check_identity(row.info.model, row.info.dimension, has_vectors, embedder);
  TRY(identity.embed_on_write);
  std::vector<Embedding> vectors = TRY(embed_texts(*embedder, texts));
  for (std::size_t i = 0; i < without.size(); ++i) without[i]->made = std::move(vectors[i]);
  if (row.info.dimension) {
    for (const Item* item : without) TRY(check_dimension(std::span(&*item->made, 1), *row.info.dimension));
  }
  if (identity.records_model) TRY(write_model(client, row, embedder->model_name(), embedder->dimension()));
  return ok_status();
}

// Sends items to add, upsert or update, a request at a time.
class Sender {
 public:
  Sender(const ServerClient& client, const std::string& path) : client_(client), path_(path) {}

  Status add(const Item& item) {
    const Record& record = *item.record;
    if (bytes_ > 0 && bytes_ + size_of(item) > kRequestBytes) TRY(flush());
    bytes_ += size_of(item);
    ids_.push_back(record.id);
    documents_.push_back(record.document);
    metadatas_.push_back(metadata_to_json(record.metadata, item.old != nullptr ? item.old->metadata : Metadata{}));
    if (!item.keeps_vector) embeddings_.push_back(base64_of(*item.vector()));
    return ok_status();
  }

  Status flush() {
    if (ids_.empty()) return ok_status();
    Json body = {{"ids", std::exchange(ids_, Json::array())},
                 {"documents", std::exchange(documents_, Json::array())},
                 {"metadatas", std::exchange(metadatas_, Json::array())}};
    if (!embeddings_.empty()) body["embeddings"] = std::exchange(embeddings_, Json::array());
    bytes_ = 0;
    // Sent again, an add is ignored and an upsert or update changes nothing more.
    TRY(client_.call("POST", path_, body));
    return ok_status();
  }

 private:
  static std::size_t size_of(const Item& item) {
    const std::size_t vector_bytes = item.vector() == nullptr ? 0 : item.vector()->size() * 6;
    return item.record->id.size() + item.record->document.size() * 2 + item.record->metadata.size() * 100 +
           vector_bytes;
  }

  const ServerClient& client_;
  const std::string path_;
  Json ids_ = Json::array();
  Json documents_ = Json::array();
  Json metadatas_ = Json::array();
  Json embeddings_ = Json::array();
  std::size_t bytes_ = 0;
};

Status send(const ServerClient& client, const ServerCollectionRow& row, const std::vector<Item>& items,
            IfIdExists if_id_exists) {
  const std::string path = "collections/" + row.id;
  Sender whole(client, path + (if_id_exists == IfIdExists::fail ? "/add" : "/upsert"));
  Sender without_vector(client, path + "/update");
  for (const Item& item : items) TRY((item.keeps_vector ? without_vector : whole).add(item));
  TRY(whole.flush());
  return without_vector.flush();
}

}  // namespace

Result<std::vector<Written>> write_records(const ServerClient& client, const ServerCollectionRow& row,
                                           const Embedder* embedder, std::span<const Record> records,
                                           IfIdExists if_id_exists) {
  if (records.empty()) return std::vector<Written>{};
  if (row.info.dimension) TRY(check_dimension(records, *row.info.dimension));
  const OldRecords old = TRY(read_old(ServerReader(client, row.id), records));
  std::vector<Item> items;
  std::vector<Written> written;
  for (const Record& record : records) {
    Item& item = items.emplace_back(Item{.record = &record});
    const auto found = old.find(record.id);
    if (found != old.end()) item.old = &found->second;
    if (item.old != nullptr && if_id_exists == IfIdExists::fail) {
      return Error{ErrorKind::already_exists,
                   "record " + in_quotes(record.id) + " exists already; nothing of the batch was stored"};
    }
    if (record.embedding) TRY(check_length(record, *record.embedding, row.info.metric));
    item.keeps_vector = !record.embedding && item.old != nullptr && item.old->document == record.document;
    written.push_back({record.id, item.old != nullptr ? WriteState::updated : WriteState::stored});
  }
  TRY(embed(client, row, embedder, items));
  TRY(send(client, row, items, if_id_exists));
  return written;
}

}  // namespace loci::chroma
