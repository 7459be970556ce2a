// A backend that keeps everything in memory: small enough to be right by reading it. The suite compares other backends
// with it, runs over it, and is itself tested with it, by giving it one defect at a time.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "loci/backend.h"

namespace loci::conformance {

// What memory backends share as processes share a disk: it outlives the backends made on it.
class MemoryDisk;
std::shared_ptr<MemoryDisk> make_memory_disk();

// Ways to break the contract, each of which the suite must notice.
enum class Defect {
  none,
  drops_unknown_operators,       // F3: a condition that it does not know holds for everything
  checks_top_of_filter_only,     // F3: an unknown operator inside $and or $or is dropped
  negation_needs_key,            // F4: $ne and $nin skip records that lack the key
  filters_after_cut,             // F6: takes the nearest first and filters what is left
  adds_over_existing,            // C3: add replaces
  keeps_part_of_batch,           // C4: what stands before a refused record stays
  erases_all_without_selection,  // C8
  breaks_ties_by_insertion,      // C5: equal distances in the order of writing
  forgets_on_close,              // C4: what was stored is gone when the backend is closed
  ignores_dimension,             // E2
  ignores_model,                 // E3
  ignores_namespace,             // B4: all namespaces of a palace are one
  ignores_palace,                // B3: all palaces are one
  creates_what_is_missing,       // B5: IfMissing::fail creates
  serves_after_close,            // B7
  folds_nothing,                 // unique keys are stored and not looked at
};
// By its name above; nothing for another name.
std::optional<Defect> parse_defect(std::string_view name);
std::string_view to_string(Defect defect);

// All that the contract has, but for files.
BackendInfo rich_memory_info();
// The least that the contract asks for, so that the suite meets a backend which leaves the optional parts out.
BackendInfo plain_memory_info();

enum class KeepDetails { yes, no };
struct MemoryOptions {
  BackendInfo info = rich_memory_info();
  KeepDetails details = KeepDetails::yes;
  Defect defect = Defect::none;
};
std::unique_ptr<Backend> make_memory_backend(std::shared_ptr<MemoryDisk> disk, const MemoryOptions& options = {});

}  // namespace loci::conformance
