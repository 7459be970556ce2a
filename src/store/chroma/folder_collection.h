// A collection of a Chroma folder.
#pragma once

#include <memory>
#include <string>

#include "loci/backend.h"
#include "loci/collection.h"
#include "store/chroma/folder_palace.h"
#include "store/chroma/queue_writer.h"
#include "store/identity.h"

namespace loci::chroma {

const BackendInfo& folder_backend_info();

// The stored model against the embedder at hand.
Result<IdentityCheck> identity_of(FolderPalace& palace, Connection& connection, const CollectionRow& row,
                                  const Embedder* embedder, ModelSwap swap);

// Many threads may use it at once. Holds nothing of the files: each call sees what is there now.
class FolderCollection : public Collection {
 public:
  FolderCollection(std::shared_ptr<FolderPalace> palace, std::string name, const OpenOptions& options)
      : palace_(std::move(palace)),
        name_(std::move(name)),
        embedder_(options.embedder),
        embed_text_(options.embed_text) {}

  Result<CollectionInfo> info() const override;
  Result<std::vector<Written>> add(std::span<const Record> records) override { return write_records(records, false); }
  Result<std::vector<Written>> upsert(std::span<const Record> records) override { return write_records(records, true); }
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
  template <typename Work>
  auto read(const Work& work) const {
    using Answer = decltype(work(std::declval<Connection&>(), SchemaVersions(), std::declval<CollectionRow&>()));
    return palace_->read([&](Connection& connection, const SchemaVersions& versions) -> Answer {
      const CollectionRow row = TRY(load_collection(connection, versions, name_));
      return work(connection, versions, row);
    });
  }
  template <typename Work>
  auto write(const Work& work) const {
    using Answer = decltype(work(std::declval<Connection&>(), SchemaVersions(), std::declval<CollectionRow&>()));
    return palace_->write(IfMissing::fail, [&](Connection& connection, const SchemaVersions& versions) -> Answer {
      const CollectionRow row = TRY(load_collection(connection, versions, name_));
      return work(connection, versions, row);
    });
  }
  Result<std::vector<Written>> write_records(std::span<const Record> records, bool replaces);
  // The records without a vector that need one, by their number.
  Result<std::vector<std::size_t>> texts_to_embed(std::span<const Record> records) const;
  Result<bool> may_embed(Connection& connection, const CollectionRow& row, bool has_texts) const;
  Status note_embedding(Connection& connection, const CollectionRow& row, std::optional<std::size_t> dimension,
                        bool embeds, bool records_model) const;
  Result<OldVector> old_vector(Connection& connection, const SchemaVersions& versions, const CollectionRow& row,
                               const Record& record, std::int64_t found) const;
  Status visit_selected(Connection& connection, const SchemaVersions& versions, const CollectionRow& row,
                        const GetRequest& request, const std::function<Status(std::int64_t, Record)>& visit) const;

  const std::shared_ptr<FolderPalace> palace_;
  const std::string name_;
  const Embedder* const embedder_;
  const EmbedText embed_text_;
};

}  // namespace loci::chroma
