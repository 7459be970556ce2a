// Places to cut a text that shows no structure, weakest meaning last: paragraphs, sentences, lines, words, characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

namespace loci {

// A part of a text; positions are those of the text.
struct TextRange {
  std::string_view text;
  std::size_t start;
  std::size_t end;
  char line_terminator;
};

// Byte positions in a text, as many as there may be: without the moment in which a growing vector is there twice.
using Positions = std::deque<std::uint32_t>;

// Each appends, in order, the positions inside the range (its edges left out) where such a thing begins.
using Filler = void (*)(const TextRange& range, Positions& positions);

void fill_paragraphs(const TextRange& range, Positions& positions);  // lines after blank lines
void fill_sentences(const TextRange& range, Positions& positions);
void fill_lines(const TextRange& range, Positions& positions);  // lines that are not blank
void fill_words(const TextRange& range, Positions& positions);

// True when a cut before byte `at` splits no character as a reader sees it: no UTF-8 sequence, no letter from its
// accent, no CR from its LF.
bool is_between_characters(std::string_view text, std::size_t at);

}  // namespace loci
