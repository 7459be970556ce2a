// The models that run in this process.
#pragma once

#include <memory>

#include "embed/models.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

// Can this program run models at all? Until it can, none is the default.
inline constexpr bool kRunsLocalModels = false;

// Maps the weights and makes them ready. Errors: unavailable (files are missing), corruption or invalid_argument (they
// make no sense), unsupported (a kind of model that this program cannot run).
Result<std::unique_ptr<Embedder>> load_local_model(const ModelFolder& model);

}  // namespace loci
