// Randomness from the kernel, good enough for tokens and for ids that nobody may guess. Any thread may call it.
#pragma once

#include <cstddef>
#include <string>

namespace loci {

// `bytes` random bytes as lower-case hexadecimal text, twice as long.
std::string random_hex(std::size_t bytes);

}  // namespace loci
