// Where an operation may write what is not the palace's own.
#pragma once

#include <filesystem>

#include "api/session.h"
#include "loci/result.h"

namespace loci {

// Whatever is in a palace's folder is the palace's: a file there would take the place of its database, log or settings,
// or be removed with its index. Errors: invalid_argument.
Status check_output_place(const std::filesystem::path& output, const ChosenPalace& palace, BackendRegistry& registry);

}  // namespace loci
