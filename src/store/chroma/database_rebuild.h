// A new database out of one with damaged pages: whatever can still be read of it, row by row.
//
// Chroma's tables say most things twice. A row whose page is gone is put together from the indexes of its table
// (row_pieces.h), and a text is taken from the copy that is kept for searching.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/catalog.h"
#include "store/chroma/row_pieces.h"

namespace loci::chroma {

struct RebuiltDatabase {
  std::unique_ptr<Connection> connection;
  std::vector<std::string> losses;  // of whole tables, a sentence each
  LostValues lost_values;           // of single records
};

// `damaged` is a private copy; `file` must not be there. Errors: corruption when nothing tells where the tables
// are; unavailable when it is cancelled.
Result<RebuiltDatabase> rebuild_database(const std::filesystem::path& damaged, const std::filesystem::path& file,
                                         const IsCancelled& is_cancelled = {});

}  // namespace loci::chroma
