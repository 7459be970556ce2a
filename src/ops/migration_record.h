// The record that a migration leaves in its target (V3 of docs/storage_contract.md): where the records came from, when,
// and how. It is a record of a collection of its own, so that every backend can keep it in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"

namespace loci {

// The collection that migration records are kept in; a migration never copies it.
inline constexpr std::string_view kMigrationsCollection = "loci_migrations";

enum class MigrationPhase {
  clearing,  // what is overwritten is being removed
  copying,   // records are being written
  complete,
};
std::string_view to_string(MigrationPhase phase);

struct MigrationRecord {
  MigrationPhase phase = MigrationPhase::clearing;
  std::string source_backend;
  std::string source;            // its folder or address
  std::int64_t started_at = 0;   // Unix milliseconds
  std::int64_t finished_at = 0;  // 0: not yet
  std::size_t records = 0;       // copied, over all runs
  std::size_t missing = 0;       // of them without a vector
  std::size_t refused = 0;       // not copied: what the target cannot keep
  bool is_lossless = true;       // of what was copied
  std::string source_model;      // of the default collection; empty: unknown
  std::string target_model;
  std::vector<std::string> overrides;  // "overwrite", "accept_re_embed", …

  friend bool operator==(const MigrationRecord&, const MigrationRecord&) = default;
};

// The latest one; nothing in a palace that never was a target, or is not there. Errors: corruption for one that cannot
// be read; what the backend gives.
Result<std::optional<MigrationRecord>> read_migration_record(Backend& backend, const PalaceRef& palace, Access access);

// Puts it in the place of the one that is there. The palace is created if it is missing.
Status write_migration_record(Backend& backend, const PalaceRef& palace, const MigrationRecord& record);

}  // namespace loci
