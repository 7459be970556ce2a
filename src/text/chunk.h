// Cuts a text into the chunks that become drawers.
//
// A chunk ends where meaning breaks: at a heading, a declaration, a key, a paragraph, in the end at a sentence. Which
// places those are is found by kind of text (outline.h); which of them are cuts is chosen for all kinds alike
// (cut_choice.h), by what stands near the cut, so that a change at one place moves no cut far away.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/text_type.h"

namespace loci {

struct Chunk {
  std::size_t byte_start;
  std::size_t byte_end;
  std::size_t line_start;  // from 1
  std::size_t line_end;    // the line of the last byte

  bool operator==(const Chunk&) const = default;
};

struct ChunkOptions {
  std::size_t target_characters = 800;  // code points; less than 16 counts as 16
};

// Chunks that, laid end to end, are the text (UTF-8; other bytes do no harm; less than 4 GB). None is empty; an empty
// text has none. Each has between half and one and a half times the target, but for a text that is shorter as a whole.
// Blank lines belong to what is before them. A line ends with LF, or with CR in a text that has no LF.
std::vector<Chunk> chunk_text(std::string_view text, const TextType& type, const ChunkOptions& options = {});

}  // namespace loci
