// Which model made the vectors of a collection, and whether the embedder at hand may go on with them: rules E3 and E5
// of docs/storage_contract.md as pure functions. Any thread may call them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "loci/backend.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

enum class IdentityState { known_match, known_mismatch, unknown };

// The answer to "this collection, with this embedder?".
struct IdentityCheck {
  IdentityState state = IdentityState::unknown;

  // May the collection be opened? Errors: embedder_mismatch, dimension_mismatch.
  Status open = {};

  // May a write embed text? Writes that bring their own vectors are not asked. Errors: embedder_mismatch.
  Status embed_on_write = {};

  // The first write that embeds text stores the embedder's name and dimension.
  bool records_model = false;

  // A forced swap is due: store the embedder's name, and log it.
  bool swaps_model = false;

  // What a reader should be told; empty when there is nothing to tell.
  std::string warning = {};
};

// `stored_model` is empty when no model is recorded. `has_vectors`: the collection holds at least one. Without an
// embedder there is nothing to compare: opening is fine, and embed_on_write says that an embedder is missing.
IdentityCheck check_identity(std::string_view stored_model, std::optional<std::size_t> stored_dimension,
                             bool has_vectors, const Embedder* embedder, ModelSwap swap = ModelSwap::refuse);

// Who made a collection's vectors, as it records it.
struct RecordedModel {
  std::string_view collection;  // its name
  std::string_view model;       // empty: none is recorded
  std::optional<std::size_t> dimension;
};

// May Backend::set_embedder record this model instead? `has_vectors` is asked only where it matters. Errors:
// invalid_argument, embedder_mismatch, dimension_mismatch, those of has_vectors.
Status check_new_model(const RecordedModel& recorded, std::string_view model, std::optional<std::size_t> dimension,
                       ModelSwap swap, FunctionRef<Result<bool>()> has_vectors);

// One vector per text, checked: the embedder's answer has the right count and dimension, and each vector is finite and
// not all zeros. Errors: those of the embedder; internal, dimension_mismatch, invalid_argument for a wrong answer.
Result<std::vector<Embedding>> embed_texts(const Embedder& embedder, std::span<const std::string> texts);

}  // namespace loci
