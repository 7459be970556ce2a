// How much memory this process has for itself.
#pragma once

#include <cstddef>
#include <optional>

namespace loci {

// Resident bytes that no other process shares; nothing where the system does not say.
std::optional<std::size_t> private_memory_bytes();

}  // namespace loci
