#include "text/chunk.h"

#include <algorithm>
#include <cassert>

#include "text/cut_choice.h"
#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

std::size_t count_lines(std::string_view text, char terminator) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), terminator));
}

}  // namespace

std::vector<Chunk> chunk_text(std::string_view text, const TextType& type, const ChunkOptions& options) {
  assert(text.size() <= kMostTextBytes);
  std::vector<Chunk> chunks;
  const std::vector<std::size_t> cuts = choose_cuts(text, outline_of(text, type), options.target_characters);
  chunks.reserve(cuts.size());
  const char terminator = line_terminator(text);
  std::size_t line = 1;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::string_view chunk = text.substr(cuts[i], cuts[i + 1] - cuts[i]);
    const std::size_t next_line = line + count_lines(chunk, terminator);
    chunks.push_back({cuts[i], cuts[i + 1], line, chunk.back() == terminator ? next_line - 1 : next_line});
    line = next_line;
  }
  return chunks;
}

}  // namespace loci
