// How the readers of filters refuse one.
#pragma once

#include <string>
#include <utility>

#include "loci/result.h"

namespace loci {

inline Error invalid_filter(std::string message) { return {ErrorKind::invalid_argument, std::move(message)}; }
inline Error unsupported_filter(std::string message) { return {ErrorKind::unsupported_filter, std::move(message)}; }

}  // namespace loci
