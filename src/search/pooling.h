// From drawers to sources: a session or a file counts by the drawers in it.
#pragma once

#include <vector>

#include "search/fusion.h"

namespace loci {

enum class Pooling { soft_maximum, maximum };

// One candidate for each source, its best drawer, with the score of the source: of the similarities a soft maximum, so
// that several good drawers count for more than one; of the words and the boosts the best. A drawer without a source
// stands for itself.
std::vector<Candidate> pool_by_source(std::vector<Candidate> drawers, Pooling pooling);

}  // namespace loci
