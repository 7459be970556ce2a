// What a palace's files and indexes look like, for `doctor` and benchmarks, and the work that keeps them in shape.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "loci/backend.h"
#include "loci/metadata.h"
#include "loci/result.h"
#include "store/embedded/database.h"

namespace loci::embedded {

Result<Metadata> read_maintenance_state(Database& database);

std::set<std::string, std::less<>> maintenance_kinds();

// One at a time for each palace, whoever asks: with `already_running` the stats say what runs, and where.
// Errors: unsupported_maintenance_kind.
Result<MaintenanceReport> run_maintenance(Database& database, std::string_view kind);

}  // namespace loci::embedded
