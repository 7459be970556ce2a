// Answers of operations as results of tools: their texts marked as data, and no more than a model can read.
#pragma once

#include <string>
#include <string_view>

#include "api/json.h"

namespace loci::mcp {

// The name of the list of drawers that an answer has, "hits" or "drawers"; empty: it has none.
std::string_view list_of_drawers(const Json& body);

// An answer with that list: the drawers as show_drawers shows them, and what is missing or was left out.
Json drawers_result(std::string_view operation, std::string_view list, Json body);

// Any other answer: itself, with the beginnings of its lists. When even that is too long, the beginning of its text.
Json plain_result(Json body);

}  // namespace loci::mcp
