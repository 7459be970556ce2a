#include "store/identity.h"

#include <fmt/format.h>

#include "store/contract.h"

namespace loci {
namespace {

Error embedder_mismatch(std::string message) { return {ErrorKind::embedder_mismatch, std::move(message)}; }

Status check_embedder_dimension(std::optional<std::size_t> stored_dimension, const Embedder& embedder) {
  if (!stored_dimension || embedder.dimension() == 0 || *stored_dimension == embedder.dimension()) return ok_status();
  return Error{ErrorKind::dimension_mismatch,
               fmt::format("the embedder {} has {} dimensions; the collection has {}. `loci embed --model` makes all "
                           "vectors anew",
                           in_quotes(embedder.model_name()), embedder.dimension(), *stored_dimension)};
}

// Nothing is stored, or the embedder has no name: the names cannot be compared.
IdentityCheck check_unknown(std::string_view stored_model, bool has_vectors, std::string_view model) {
  IdentityCheck check{.state = IdentityState::unknown};
  if (!stored_model.empty()) {
    check.warning =
        fmt::format("the embedder has no name, so it may not be {}, which made the vectors of the collection",
                    in_quotes(stored_model));
    check.embed_on_write = embedder_mismatch(fmt::format(
        "the collection holds vectors of {} and the embedder has no name; give it one", in_quotes(stored_model)));
    return check;
  }
  if (has_vectors) {
    check.warning = "no model is recorded for the vectors of the collection; set-embedder --model NAME confirms one";
    // Recording the current model over vectors of an unknown one would mislabel them; without a name nothing is
    // recorded.
    if (!model.empty()) {
      check.embed_on_write = embedder_mismatch(
          fmt::format("the collection holds vectors of an unknown model; confirm with set-embedder --model NAME that "
                      "they were made by {}, or name the model that made them",
                      in_quotes(model)));
    }
    return check;
  }
  check.records_model = !model.empty();
  return check;
}

}  // namespace

IdentityCheck check_identity(std::string_view stored_model, std::optional<std::size_t> stored_dimension,
                             bool has_vectors, const Embedder* embedder, ModelSwap swap) {
  if (embedder == nullptr) {
    return {.state = IdentityState::unknown,
            .embed_on_write = Error{ErrorKind::invalid_argument, "there is no embedder to turn text into vectors"}};
  }
  const std::string model = embedder->model_name();
  if (stored_model.empty() || model.empty()) return check_unknown(stored_model, has_vectors, model);

  IdentityCheck check{.state = stored_model == model ? IdentityState::known_match : IdentityState::known_mismatch};
  if (check.state == IdentityState::known_mismatch) {
    if (swap == ModelSwap::refuse) {
      check.open = check.embed_on_write =
          embedder_mismatch(fmt::format("the collection holds vectors of {}; the embedder is {}. Use that model, or "
                                        "--force-model-swap to go on with the other one",
                                        in_quotes(stored_model), in_quotes(model)));
      return check;
    }
    check.swaps_model = true;
    if (!has_vectors) return check;  // the dimension is free again
  }
  check.open = check.embed_on_write = check_embedder_dimension(stored_dimension, *embedder);
  return check;
}

Status check_new_model(const RecordedModel& recorded, std::string_view model, std::optional<std::size_t> dimension,
                       ModelSwap swap, FunctionRef<Result<bool>()> has_vectors) {
  if (model.empty()) return Error{ErrorKind::invalid_argument, "the model needs a name"};
  if (!recorded.model.empty() && recorded.model != model && swap == ModelSwap::refuse) {
    return embedder_mismatch(fmt::format("collection {} records the model {}; --force-model-swap replaces it",
                                         in_quotes(recorded.collection), recorded.model));
  }
  const bool is_other = dimension && recorded.dimension && *dimension != *recorded.dimension;
  if (!is_other || !TRY(has_vectors())) return {};
  return Error{ErrorKind::dimension_mismatch,
               fmt::format("the model has {} dimensions; the collection has {}", *dimension, *recorded.dimension)};
}

Result<std::vector<Embedding>> embed_texts(const Embedder& embedder, std::span<const std::string> texts) {
  if (texts.empty()) return std::vector<Embedding>{};
  std::vector<Embedding> vectors = TRY(embedder.embed(texts));
  const std::string name = fmt::format("the embedder {}", in_quotes(embedder.model_name()));
  if (vectors.size() != texts.size()) {
    return Error{ErrorKind::internal,
                 fmt::format("{} gave {} vectors for {} texts", name, vectors.size(), texts.size())};
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].size() != embedder.dimension()) {
      return Error{ErrorKind::dimension_mismatch, fmt::format("{} gave {} dimensions for text {}; it promises {}", name,
                                                              vectors[i].size(), i + 1, embedder.dimension())};
    }
    TRY(check_vector(vectors[i], name));
  }
  return vectors;
}

}  // namespace loci
