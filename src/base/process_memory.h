// How much memory this process has for itself, and how it lets go of what it does not use.
#pragma once

#include <cstddef>
#include <optional>

namespace loci {

// Resident bytes that no other process shares; nothing where the system does not say.
std::optional<std::size_t> private_memory_bytes();

// Hands back to the system what was freed and only kept for later. Takes up to a few milliseconds: for a server that
// has nothing to do.
void give_back_free_memory();

}  // namespace loci
