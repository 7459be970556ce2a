// No exception crosses the storage contract: what a backend throws, a lack of memory above all, becomes an error like
// any other, and the caller's program goes on.
#pragma once

#include <memory>

#include "loci/backend.h"

namespace loci {

// The same backend, with every call guarded.
std::unique_ptr<Backend> guarded(std::unique_ptr<Backend> backend);

}  // namespace loci
