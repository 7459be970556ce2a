#include "store/embedded/embedded_reembedding.h"

#include "store/contract.h"
#include "store/embedded/next_vectors.h"

namespace loci::embedded {
namespace {

Result<NextModel> require_next_model(Connection& connection, const CollectionRow& collection,
                                     const Embedder& embedder) {
  std::optional<NextModel> next = TRY(find_next_model(connection, collection.id));
  if (next && next->model == embedder.model_name()) return std::move(*next);
  return Error{ErrorKind::not_found, "no re-embedding of " + in_quotes(collection.name) + " with " +
                                         in_quotes(embedder.model_name()) + " is under way" +
                                         (next ? "; one with " + in_quotes(next->model) + " is" : "")};
}

}  // namespace

Result<std::optional<ReembeddingState>> EmbeddedReembedding::state() const {
  return access_.read(
      [](Connection& connection, const CollectionRow& collection) -> Result<std::optional<ReembeddingState>> {
        const std::optional<NextModel> next = TRY(find_next_model(connection, collection.id));
        if (!next) return std::optional<ReembeddingState>();
        return std::optional(TRY(count_next_vectors(connection, collection.id, *next)));
      });
}

Status EmbeddedReembedding::start(const Embedder& embedder) {
  const std::string model = embedder.model_name();
  if (model.empty()) return Error{ErrorKind::invalid_argument, "an embedder without a name cannot re-embed"};
  return access_.write([&](Connection& connection, const CollectionRow& collection) -> Status {
    const std::optional<NextModel> next = TRY(find_next_model(connection, collection.id));
    if (next && next->model == model) return {};
    const bool is_of_model = collection.model == model && !TRY(has_mixed_vectors(connection, collection));
    if (is_of_model) {
      return Error{ErrorKind::already_exists,
                   "the vectors of " + in_quotes(collection.name) + " are by " + in_quotes(model) + " already"};
    }
    return start_next_model(connection, collection.id, model);
  });
}

Status EmbeddedReembedding::abandon() {
  return access_.write([](Connection& connection, const CollectionRow& collection) {
    return forget_next_model(connection, collection.id);
  });
}

Result<ReembeddingStep> EmbeddedReembedding::step(const Embedder& embedder, std::size_t limit) {
  const std::shared_ptr<Database> database = TRY(access_.database());
  if (database->access() == Access::read_only) return database->read_only_error();
  RowLeases leases = TRY(RowLeases::open(database->folder()));
  const std::vector<std::int64_t> candidates = TRY(lease(leases, embedder, limit));
  if (candidates.empty()) return finish(embedder);
  // Read again now that they are ours: another process may have finished some of them in between.
  const std::vector<PendingRow> rows = TRY(access_.read(
      [&](Connection& connection, const CollectionRow&) { return read_old_rows(connection, candidates); }));
  return store(embedder, TRY(rows_.embed(embedder, rows)));
}

Result<std::vector<std::int64_t>> EmbeddedReembedding::lease(RowLeases& leases, const Embedder& embedder,
                                                             std::size_t limit) {
  return access_.read(
      [&](Connection& connection, const CollectionRow& collection) -> Result<std::vector<std::int64_t>> {
        TRY(require_next_model(connection, collection, embedder));
        const std::int64_t after = last_row_;
        std::vector<std::int64_t> rows = TRY(lease_old_rows(connection, collection.id, leases, after, limit));
        if (rows.empty() && after > 0) rows = TRY(lease_old_rows(connection, collection.id, leases, 0, limit));
        last_row_ = rows.empty() ? 0 : rows.back();
        return rows;
      });
}

Result<ReembeddingStep> EmbeddedReembedding::store(const Embedder& embedder, const std::vector<EmbeddedRow>& made) {
  return access_.write([&](Connection& connection, const CollectionRow& collection) -> Result<ReembeddingStep> {
    std::optional<std::size_t> dimension = TRY(require_next_model(connection, collection, embedder)).dimension;
    ReembeddingStep step;
    for (const EmbeddedRow& row : made) {
      if (!row.vector) {
        if (TRY(store_next_vector(connection, row.row, {}))) step.refused.push_back({row.row.id, row.refusal});
        continue;
      }
      if (!dimension) TRY(set_next_dimension(connection, collection.id, row.vector->size()));
      if (!dimension) dimension = row.vector->size();
      TRY(check_dimension(std::span(&*row.vector, 1), *dimension));
      step.embedded += TRY(store_next_vector(connection, row.row, *row.vector)) ? 1 : 0;
    }
    return step;
  });
}

Result<ReembeddingStep> EmbeddedReembedding::finish(const Embedder& embedder) {
  return access_.write([&](Connection& connection, CollectionRow& collection) -> Result<ReembeddingStep> {
    const NextModel next = TRY(require_next_model(connection, collection, embedder));
    const bool others_are_at_it = TRY(lacks_next_vectors(connection, collection.id));
    if (others_are_at_it) return ReembeddingStep{};
    TRY(exchange_vectors(connection, collection, next));
    return ReembeddingStep{.embedded = 0, .refused = {}, .is_finished = true};
  });
}

}  // namespace loci::embedded
