#include "ops/import_target.h"

#include <span>
#include <utility>

#include "store/contract.h"

namespace loci {
namespace {

GetRequest ids_only(std::vector<std::string> ids) {
  return {.selection = {.ids = std::move(ids)}, .include = {.documents = false, .metadatas = false}};
}

}  // namespace

Result<ImportTarget> ImportTarget::open(Backend& backend, const ImportRequest& request, const std::string& name,
                                        const RecordLine& first) {
  const OpenOptions options{.if_missing = IfMissing::create,
                            .metric = first.metric.value_or(DistanceMetric::cosine),
                            .embedder = nullptr,
                            .embed_text = EmbedText::later};
  std::shared_ptr<Collection> collection = TRY(backend.collection(request.palace, name, options));
  CollectionInfo info = TRY(collection->info());
  return ImportTarget(backend, request, std::move(collection), std::move(info));
}

std::string_view ImportTarget::model_of(const RecordLine& line) const {
  if (!line.model.empty()) return line.model;
  // --source-model speaks of vectors; a text without one may be embedded by any model.
  if (line.record.embedding && request_->source_model) return *request_->source_model;
  return {};
}

Status ImportTarget::check(const RecordLine& line) const {
  if (!line.record.embedding) return ok_status();
  if (info_.dimension) TRY(check_dimension(std::span(&line.record, 1), *info_.dimension));
  const std::string_view model = model_of(line);
  if (!model.empty() && !info_.model.empty() && model != info_.model) {
    return Error{ErrorKind::embedder_mismatch, "the vector is of the model " + in_quotes(model) +
                                                   ", those of the collection " + in_quotes(info_.name) + " are of " +
                                                   in_quotes(info_.model) +
                                                   "; import into another collection, or export without vectors"};
  }
  return ok_status();
}

Status ImportTarget::expect(const RecordLine& line) {
  const std::string_view model = model_of(line);
  const std::optional<std::size_t> dimension =
      line.record.embedding ? std::optional(line.record.embedding->size()) : line.dimension;
  if (!model.empty() && info_.model.empty() && !info_.dimension) {
    TRY(backend_->set_embedder(request_->palace, info_.name, model, dimension, ModelSwap::refuse));
    info_.model = model;
    info_.dimension = dimension;
  }
  if (line.record.embedding && !info_.dimension) info_.dimension = dimension;
  return ok_status();
}

Result<std::unordered_set<std::string>> ImportTarget::existing_ids(std::vector<std::string> ids) const {
  const std::vector<Record> records = TRY(collection_->get(ids_only(std::move(ids))));
  std::unordered_set<std::string> found;
  for (const Record& record : records) found.insert(record.id);
  return found;
}

Result<std::vector<Record>> ImportTarget::existing_details(std::vector<std::string> ids) const {
  GetRequest request = ids_only(std::move(ids));
  request.include.details = true;
  return collection_->get(request);
}

}  // namespace loci
