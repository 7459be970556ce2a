// The terms of a question that must stand in a drawer as they are: quoted phrases, identifiers, paths, codes. Pure
// functions; any thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loci {

// Is it written as no word of a language is: with a sign, a digit or a capital inside ("parse_header", "E0308",
// "kRetryLimit"), in capitals, or as a number that is no year? Two words tied by a hyphen are no code: "silver-heron"
// cannot be told from "well-known", and the word index counts a tied pair for more anyway.
bool is_code(std::string_view word);

// Each once. In a question that is written in capitals these say nothing.
std::vector<std::string> exact_terms_in(std::string_view question);

}  // namespace loci
