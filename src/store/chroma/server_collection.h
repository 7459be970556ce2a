// A collection of a Chroma server as the contract has it. Every call looks the collection up by its name, so that one
// that was removed or made anew is noticed.
//
// Where the server is weaker than the contract, this makes up for it: `add` of an id that exists is looked for first
// (the server would ignore it), keys that a record no longer has are sent as nulls (the server merges), filters that
// the server does not know are applied to what it gives, and short lists are ranked here by their vectors. It keeps no
// record without a vector: texts are embedded when they are written, or refused as unsupported.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "loci/collection.h"
#include "store/chroma/server_client.h"

namespace loci::chroma {

// Set by the backend when it is closed; shared with its collections.
using ClosedFlag = std::shared_ptr<const std::atomic<bool>>;
Status check_open(const ClosedFlag& closed);

const BackendInfo& server_backend_info();

// A collection as the server describes it.
struct ServerCollectionRow {
  std::string id;       // the server's own
  CollectionInfo info;  // under the name that Loci knows it by
  Json metadata;        // all of it
};

// Names of other lengths or alphabets than Chroma's are kept in the collection's metadata, under a name made from them.
std::string server_name(std::string_view name);

// Errors: io for an answer of another shape.
Result<ServerCollectionRow> row_from(const Json& answer);

// Errors: palace_not_found, collection_not_initialized.
Result<ServerCollectionRow> find_row(const ServerClient& client, std::string_view name);

// Records model and dimension in the collection's metadata.
Status write_model(const ServerClient& client, const ServerCollectionRow& row, std::string_view model,
                   std::optional<std::size_t> dimension);

// How many records the collection has.
Result<std::size_t> count_rows(const ServerClient& client, const ServerCollectionRow& row);

class ServerCollection : public Collection {
 public:
  ServerCollection(std::shared_ptr<const ServerClient> client, std::string name, const OpenOptions& options,
                   ClosedFlag closed)
      : client_(std::move(client)),
        name_(std::move(name)),
        embedder_(options.embedder),
        access_(options.access),
        closed_(std::move(closed)) {}

  Result<CollectionInfo> info() const override;
  Result<std::vector<Written>> add(std::span<const Record> records) override;
  Result<std::vector<Written>> upsert(std::span<const Record> records) override;
  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override;
  Result<std::size_t> erase(const Selection& selection) override;
  Result<std::vector<Record>> get(const GetRequest& request) const override;
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override;
  Result<QueryResult> query(const QueryRequest& request) const override;
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override;
  Result<std::size_t> count() const override;
  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override;
  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override;
  Health health() const override;

 private:
  Result<ServerCollectionRow> row() const;
  Result<ServerCollectionRow> row_to_write() const;

  std::shared_ptr<const ServerClient> client_;
  const std::string name_;
  const Embedder* const embedder_;
  const Access access_;
  const ClosedFlag closed_;
};

}  // namespace loci::chroma
