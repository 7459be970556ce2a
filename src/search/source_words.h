// The words of whole sources. What is asked may stand in several drawers of one conversation or file, a part in each;
// no single drawer shows it.
#pragma once

#include <string>

#include "loci/collection.h"
#include "loci/result.h"
#include "search/candidates.h"

namespace loci {

// Fills in for each candidate which share of the question its source has word for word, in the candidates at hand taken
// together: BM25 among these sources. Their sources must be known. Errors: those of the collection.
Status add_source_words(const Collection& drawers, const std::string& question, Candidates& candidates);

}  // namespace loci
