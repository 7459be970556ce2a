// The first page of a database says where its tables begin. Without it nothing can be read, though all else is there.
#pragma once

#include <filesystem>

#include "loci/result.h"

namespace loci::embedded {

// Gives the file, a private copy, the first page of a new palace: tables are always made in the same order, so they
// begin at the same pages. Errors: corruption when no palace appears by that; io.
Status replace_first_page(const std::filesystem::path& copy);

// Gives an empty file, a private copy with its log beside it, such a page, so that SQLite takes the log for its own
// rather than remove it. Errors: corruption when the log is none of a palace; io.
Status make_first_page_for_log(const std::filesystem::path& copy);

}  // namespace loci::embedded
