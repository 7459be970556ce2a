// The field by which a request leaves out stages of the search.
#pragma once

#include <vector>

#include "api/operation.h"
#include "api/request.h"
#include "loci/result.h"
#include "search/search_stage.h"

namespace loci {

inline constexpr Field kWithoutField = {
    .name = "without",
    .type = FieldType::text_list,
    .help =
        "leave out a stage of the search: clean_query, dates, exact, speakers, places, pooling, source_words; may be "
        "repeated",
    .placeholder = "STAGE"};

// Errors: invalid_argument, naming a stage that does not exist.
Result<std::vector<SearchStage>> stages_left_out(const Request& request);

}  // namespace loci
