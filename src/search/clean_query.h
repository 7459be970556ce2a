// A pasted prompt is not a question: whoever sends pages of text mostly means the question at their end, or the one
// that they begin with.
#pragma once

#include <cstddef>
#include <string_view>

namespace loci {

// A query up to this length is taken as it is.
inline constexpr std::size_t kLongestQuestionBytes = 1'000;

struct CleanQuery {
  std::string_view text;  // a view of what was sent
  bool asks;              // false: a long text in which nothing asks; what is left of it is just its end
};

// The part of the text that asks: the text itself when it is short, else its last question, or its last sentence, from
// where that begins on the line, without closing thanks. Where the last sentence asks for nothing, as the last line of
// a log or of a signature: the question shortly before it, else the one with which the text begins, else any other. One
// that says little by itself ("Who was there?") comes with the sentences before it, some 400 bytes in all.
CleanQuery clean_query(std::string_view text);

}  // namespace loci
