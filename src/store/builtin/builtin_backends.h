// The backends that come with the program: a new one is one line in builtin_backends.cc.
#pragma once

#include "store/registry.h"

namespace loci {

// Expects a registry without built-in backends.
void register_builtin_backends(BackendRegistry& registry);

}  // namespace loci
