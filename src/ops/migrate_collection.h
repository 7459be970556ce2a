// Copying one collection of a migration.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "loci/backend.h"
#include "loci/result.h"
#include "ops/migrate.h"

namespace loci {

struct CollectionToCopy {
  CollectionInfo info;  // as the source has it
  std::string model = {};
  std::shared_ptr<Collection> from = {};
  std::size_t count = 0;
  bool takes_vectors = true;  // false: texts wait for new ones
};

// Reads in this thread and writes in another. `progress` goes on from where it is. Errors: unavailable when the
// observer has enough; what the backends give.
Result<MigratedCollection> copy_collection(Backend& target, const PalaceRef& palace, const CollectionToCopy& copy,
                                           MigrateProgress& progress, const MigrateObserver& observer);

}  // namespace loci
