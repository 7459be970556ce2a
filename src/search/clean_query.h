// A pasted prompt is not a question: whoever sends pages of text mostly means the question at their end.
#pragma once

#include <cstddef>
#include <string_view>

namespace loci {

// A query up to this length is taken as it is.
inline constexpr std::size_t kLongestQuestionBytes = 400;

// The part of the text that asks: the text itself when it is short, else its last sentence with a question mark, else
// its last sentence, cut to the longest question. A view of the text.
std::string_view clean_query(std::string_view text);

}  // namespace loci
