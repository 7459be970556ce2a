// A pasted prompt is not a question: whoever sends pages of text mostly means the question at their end.
#pragma once

#include <cstddef>
#include <string_view>

namespace loci {

// A query up to this length is taken as it is.
inline constexpr std::size_t kLongestQuestionBytes = 1'000;

// The part of the text that asks: the text itself when it is short, else its last question, or its last sentence, from
// where that begins on the line, without closing thanks. One that says little by itself ("Who was there?") comes with
// the sentences before it, some 400 bytes in all. A view of the text.
std::string_view clean_query(std::string_view text);

}  // namespace loci
