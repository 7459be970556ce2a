// Answers of the api in the form in which MemPalace's tools give theirs. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "api/json.h"

namespace loci::mcp {

// total_drawers, wings{}, rooms{}, protocol
Json mempalace_status(const Json& status);
// wing (or "all"), rooms{}
Json rooms_of(const Json& status, const std::string& wing);
// {wing: {room: n}}
Json taxonomy_of(const Json& status);

// The fields of an operation that say which drawers, from wing, room, source_file, since and before.
Json scope_fields(const Json& arguments);

Json search_result(const Json& arguments, const Json& answer);
// `equal`: the drawers that have the very text. `similar`: the answer of a search for it.
Json duplicates_in(std::string_view content, const Json& equal, const Json& similar, double threshold);
Json drawer_shape(const Json& drawer);
// Of the drawers of an answer: ids, places and the beginnings of their texts.
Json previews(const Json& drawers);
Json list_shape(const Json& answer);
Json sync_shape(const Json& answer);
std::string mine_output(const Json& answer);

// An answer that is too large has its longest texts cut and then loses items of its list, and says so.
Json capped(Json body);

}  // namespace loci::mcp
