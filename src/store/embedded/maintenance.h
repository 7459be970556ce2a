// What a palace's files and indexes look like, for `doctor` and benchmarks.
#pragma once

#include "loci/metadata.h"
#include "loci/result.h"
#include "store/embedded/database.h"

namespace loci::embedded {

Result<Metadata> read_maintenance_state(Database& database);

}  // namespace loci::embedded
