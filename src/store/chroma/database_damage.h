// Are the pages of a database sound?
#pragma once

#include <string>
#include <vector>

#include "loci/result.h"
#include "store/chroma/catalog.h"

namespace loci::chroma {

enum class DamageDepth {
  pages,   // is every page what it should be?
  tables,  // also: do the indexes and the searchable words agree with the rows?
};

// The first few things that are wrong, a sentence each; nothing for a sound one. Reads every page.
Result<std::vector<std::string>> find_damage(Connection& connection, DamageDepth depth);

}  // namespace loci::chroma
