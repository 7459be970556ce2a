// From drawers to sources: a session or a file counts by the drawers in it.
#pragma once

#include <string>
#include <vector>

#include "search/fusion.h"

namespace loci {

enum class Pooling { of_all, best_drawer };

// What a candidate counts for: its source, or itself where it has none.
std::string source_key(const Candidate& candidate);

// One candidate for each source, its best drawer, with the score of the source. Of all: partly that of the best drawer,
// which has words and meaning in one place, and partly what the drawers have together: a soft maximum of the
// similarities, so that several good drawers count for more than one, and the best of the words. To either the words of
// the whole source are added. A drawer without a source stands for itself.
std::vector<Candidate> pool_by_source(std::vector<Candidate> drawers, Pooling pooling);

}  // namespace loci
