// Copies of a palace as one file: consistent while others write, examined before they count, whole or absent.
#pragma once

#include <filesystem>

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/embedded/database.h"

namespace loci::embedded {

Result<BackupReport> backup_palace(Database& database, const std::filesystem::path& file,
                                   const IsCancelled& is_cancelled);

// The folder must not hold a palace yet.
Result<BackupReport> restore_palace(const std::filesystem::path& file, const std::filesystem::path& folder,
                                    const IsCancelled& is_cancelled);

}  // namespace loci::embedded
