// The embedded backend `loci`: one SQLite database per palace, any number of processes at once.
#pragma once

#include <memory>

#include "loci/backend.h"
#include "store/embedded/index_options.h"

namespace loci {

std::unique_ptr<Backend> make_embedded_backend();
std::unique_ptr<Backend> make_embedded_backend(const embedded::IndexOptions& index);

}  // namespace loci
