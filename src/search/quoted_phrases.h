// Words in quotes stand in a row; where they do so nowhere, whoever quoted them is still better served by their words
// than by nothing. Agents and shells often put the whole question in quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/filter.h"
#include "loci/result.h"

namespace loci {

struct LoosenedQuestion {
  std::string text;                  // the question without the quotes around those phrases
  std::vector<std::string> phrases;  // that no drawer has; each once
};

// Errors: those of the collection.
Result<LoosenedQuestion> loosen_quotes(const Collection& drawers, const Filter& where, std::string_view question);

}  // namespace loci
