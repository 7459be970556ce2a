// The embedded backend `loci`: one SQLite database per palace, any number of processes at once.
#pragma once

#include <memory>

#include "loci/backend.h"

namespace loci {

std::unique_ptr<Backend> make_embedded_backend();

}  // namespace loci
