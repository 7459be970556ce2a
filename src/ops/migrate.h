// Migration: all collections of one palace into another, of the same backend or of another one (V1 to V4 of
// docs/storage_contract.md). It reads through scan with vectors and writes through upsert, and knows no backend.
//
// Ids, collection names, metrics and models are kept. A record that has no vector in the source has none in the target
// and waits for none (EmbedText::leave_missing). The source is opened read-only.
//
// It may be interrupted anywhere: the migration record in the target says what was begun, and the same call goes on
// with it. Records that are there already as they should be are not written again.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"
#include "ops/migration_record.h"

namespace loci {

struct MigrateRequest {
  PalaceRef source;
  PalaceRef target;
  bool overwrite = false;  // collections that the target has under the same names are removed first
  // Where vectors cannot be taken over, leave them out and let the target's embedder make them anew.
  bool accept_re_embed = false;
  std::optional<std::string> source_model = {};  // of vectors whose model the source does not record
  bool include_quarantined = false;              // also what the source was told to set aside
  ModelSwap model_swap = ModelSwap::refuse;      // force: source_model also where the source records another one
};

struct MigratedCollection {
  std::string name;
  std::string model;                          // empty: unknown
  std::size_t records = 0;                    // in the source
  std::size_t written = 0;                    // by this run
  std::size_t already_there = 0;              // from an earlier run
  std::size_t folded = 0;                     // one of equal unique keys, where another id has it
  std::size_t missing = 0;                    // stored without a vector
  std::vector<std::string> missing_ids = {};  // the first of them
  std::size_t refused = 0;                    // what the target cannot keep
  std::vector<std::string> refusals = {};     // the first of them, a sentence each
};

struct MigrateReport {
  MigrationRecord record;
  bool is_resumed = false;
  std::vector<MigratedCollection> collections;
};

struct MigrateProgress {
  std::string collection;
  std::size_t done = 0;
  std::size_t total = 0;
};
struct MigrateObserver {
  std::function<void(const MigrateProgress&)> progress = {};
  std::function<bool()> is_cancelled = [] { return false; };
};

// Errors: already_exists when the target holds something else than an interrupted migration of this source; unsupported
// when vectors cannot be taken over and re-embedding is not accepted; embedder_mismatch when source_model contradicts
// the source; invalid_argument when source and target are one; unavailable when it was cancelled; what the backends
// give.
Result<MigrateReport> migrate(Backend& source, Backend& target, const MigrateRequest& request,
                              const MigrateObserver& observer = {});

}  // namespace loci
