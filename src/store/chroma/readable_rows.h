// Which rows of a table can still be read although some of its pages cannot.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "loci/result.h"
#include "store/chroma/catalog.h"

namespace loci::chroma {

// Visits the numbers of the rows, ascending. `table` is its name as SQL has it. Says whether every page was read.
// Errors: those of visit.
Result<bool> visit_readable_rows(Connection& connection, const std::string& table,
                                 const std::function<Status(std::int64_t row)>& visit);

}  // namespace loci::chroma
