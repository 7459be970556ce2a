#include "tests/crash/embedding_work.h"

#include <chrono>
#include <thread>

#include "loci/reembedding.h"
#include "store/embedded/embedded_backend.h"

namespace loci::crash {
namespace {

constexpr std::size_t kBatch = 8;

Status make_palace(const PalaceRef& palace, int records, const Embedder* embedder) {
  const auto backend = make_embedded_backend();
  const auto collection =
      TRY(backend->collection(palace, "drawers", {.if_missing = IfMissing::create, .embedder = embedder}));
  std::vector<Record> batch;
  for (int i = 0; i < records; ++i)
    batch.push_back({.id = "id" + std::to_string(i), .document = "text number " + std::to_string(i)});
  TRY(collection->add(batch));
  return {};
}

}  // namespace

Result<std::vector<Embedding>> SlowEmbedder::embed(std::span<const std::string> texts) const {
  std::this_thread::sleep_for(std::chrono::microseconds(delay_us_));
  texts_seen_ += texts.size();
  return inner_.embed(texts);
}

Status make_waiting_palace(const PalaceRef& palace, int records) { return make_palace(palace, records, nullptr); }

Status make_old_palace(const PalaceRef& palace, int records) {
  const HashEmbedder embedder(kOldDimension);
  return make_palace(palace, records, &embedder);
}

Status embed_all(const PalaceRef& palace, const Embedder& embedder) {
  const auto backend = make_embedded_backend();
  const auto collection = TRY(backend->collection(palace, "drawers", {.embedder = &embedder}));
  while (!TRY(collection->embed_pending(kBatch)).is_empty()) continue;
  return {};
}

Result<bool> reembed_all(const PalaceRef& palace, const Embedder& embedder) {
  const auto backend = make_embedded_backend();
  const auto collection = TRY(backend->collection(palace, "drawers", {}));
  Reembedding& reembedding = *collection->reembedding();
  while (true) {
    const Status started = reembedding.start(embedder);
    if (!started.ok() && started.error().kind == ErrorKind::already_exists) return true;
    TRY(started);
    const Result<ReembeddingStep> step = reembedding.step(embedder, kBatch);
    // Another process may have finished it since we started.
    if (!step.ok() && step.error().kind == ErrorKind::not_found) continue;
    if (!step.ok()) return step.error();
    if (step->is_finished) return true;
    if (step->embedded == 0) return false;
  }
}

std::vector<std::string> wrong_vectors(const PalaceRef& palace, Waiting waiting) {
  std::vector<std::string> wrong;
  const auto check = [&]() -> Status {
    const auto backend = make_embedded_backend();
    const auto collection = TRY(backend->collection(palace, "drawers", {}));
    const CollectionInfo info = TRY(collection->info());
    // A model whose first vector is still to be made has no dimension yet.
    const bool is_new = info.model == HashEmbedder(kNewDimension).model_name();
    const HashEmbedder embedder(info.dimension.value_or(is_new ? kNewDimension : kOldDimension));
    if (!info.model.empty() && info.model != embedder.model_name()) wrong.push_back("the model is " + info.model);
    return collection->scan({.include = {.embeddings = true}}, [&](const Record& record) -> Status {
      if (!record.embedding) {
        if (waiting == Waiting::forbidden) wrong.push_back(record.id + " has no vector");
        return {};
      }
      const std::vector<Embedding> expected = TRY(embedder.embed(std::span(&record.document, 1)));
      if (*record.embedding != expected.front()) wrong.push_back(record.id + " has a wrong vector");
      return {};
    });
  };
  const Status checked = check();
  if (!checked.ok()) wrong.push_back(checked.error().message);
  return wrong;
}

}  // namespace loci::crash
