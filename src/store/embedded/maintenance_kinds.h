// The kinds of maintenance, one function each. All of them run beside other processes that read and write, and can be
// killed anywhere: each step is a transaction, and the next run does what is left.
//
// The caller holds the lease of the palace. They say in `stats` what they did, and return `noop` when nothing was to
// do.
#pragma once

#include "loci/backend.h"
#include "loci/metadata.h"
#include "loci/result.h"
#include "store/embedded/database.h"

namespace loci::embedded {

// Refreshes what SQLite knows of how values are spread. A sample is enough, so writers wait for milliseconds.
Result<MaintenanceStatus> analyze(Database& database, Metadata& stats);

// Merges the word index, gives free pages back to the file system, and moves the log into the file. Notes of deletions
// stay: whoever follows the changes, and every index that is older than they are, needs them.
Result<MaintenanceStatus> compact(Database& database, Metadata& stats);

// Makes every index again from the rows: those of the tables, the words and the vectors.
Result<MaintenanceStatus> reindex(Database& database, Metadata& stats);

}  // namespace loci::embedded
