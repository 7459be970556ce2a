// A collection of an embedded palace: the contract in terms of rows.
#pragma once

#include <memory>
#include <string>

#include "loci/backend.h"
#include "loci/collection.h"
#include "store/embedded/catalog.h"
#include "store/embedded/collection_access.h"
#include "store/embedded/embedded_reembedding.h"
#include "store/embedded/index_search.h"
#include "store/embedded/palace_handle.h"
#include "store/embedded/pending_rows.h"
#include "store/embedded/row_embedder.h"

namespace loci::embedded {

const BackendInfo& embedded_backend_info();

// The text of one record or update of a batch, to be turned into a vector.
struct TextToEmbed {
  std::size_t item = 0;  // its place in the batch
  std::string id;
  std::string document;
};

// Many threads may use it at once.
class EmbeddedCollection : public Collection {
 public:
  EmbeddedCollection(std::shared_ptr<PalaceHandle> palace, std::string name, const OpenOptions& options)
      : access_(std::move(palace), std::move(name)),
        reembedding_(access_),
        embedder_(options.embedder),
        embed_text_(options.embed_text) {}

  Result<CollectionInfo> info() const override;
  Result<std::vector<Written>> add(std::span<const Record> records) override;
  Result<std::vector<Written>> upsert(std::span<const Record> records) override;
  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override;
  Result<std::size_t> erase(const Selection& selection) override;
  Result<std::vector<Record>> get(const GetRequest& request) const override;
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override;
  Result<QueryResult> query(const QueryRequest& request) const override;
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override;
  Result<EmbeddingStep> embed_pending(std::size_t limit) override;
  Result<std::size_t> queue_missing() override;
  Reembedding* reembedding() override { return &reembedding_; }
  Result<std::vector<SourceInfo>> sources(std::string_view prefix) const override;
  Result<std::vector<SourceReport>> replace_sources(std::span<const SourceUpdate> updates) override;
  Result<std::size_t> erase_sources(std::span<const std::string> names) override;
  Result<std::size_t> index_pending() override;
  Result<std::size_t> count() const override;
  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override;
  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override;
  Health health() const override;

 private:
  template <typename Work>
  auto read(const Work& work) const {
    return access_.read(work);
  }
  template <typename Work>
  auto write(const Work& work) {
    auto answer = access_.write(work);
    if (answer.ok()) index_after_write();
    return answer;
  }

  // Where the options ask for it. What was written is stored whatever becomes of the index.
  void index_after_write();

  // The nearest rows by the index, or else by a scan of all rows.
  Result<QueryResult> query_once(const QueryRequest& request, const std::vector<Embedding>& queries,
                                 bool may_use_index) const;
  Result<RankedLists> nearest(Connection& connection, const CollectionRow& collection, const QueryRequest& request,
                              const std::vector<Embedding>& queries, bool may_use_index) const;

  Result<std::vector<Written>> write_records(std::span<const Record> records, bool replaces);

  // Leaves those that the embedder must turn into vectors, now or later. Errors: embedder_mismatch.
  Status keep_those_to_embed(std::vector<TextToEmbed>& texts) const;
  // May these be embedded by our model (errors: embedder_mismatch), and is it the first to be recorded?
  Result<bool> may_embed(Connection& connection, const CollectionRow& collection,
                         const std::vector<TextToEmbed>& texts) const;
  // Stores what a write decides for the collection: its dimension, and its model if our embedder was used.
  Status note_embedding(Connection& connection, CollectionRow& collection, std::optional<std::size_t> dimension,
                        bool embeds, bool records_model) const;

  const CollectionAccess access_;
  EmbeddedReembedding reembedding_;
  RowEmbedder rows_;
  const Embedder* const embedder_;
  const EmbedText embed_text_;
};

}  // namespace loci::embedded
