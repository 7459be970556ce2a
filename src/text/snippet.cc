#include "text/snippet.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "text/char_class.h"
#include "text/query_words.h"
#include "text/term_matcher.h"

namespace loci {
namespace {

// The matches that a window of `size` bytes shows best: most different terms, then most matches, then the first.
// Returns where they start and end; {0, 0} when there are none.
Highlight best_place(const std::vector<TermMatch>& matches, std::size_t term_count, std::size_t size) {
  Highlight best{0, 0};
  std::pair<std::size_t, std::size_t> best_score{0, 0};
  std::vector<std::size_t> counts(term_count);
  std::size_t different = 0;
  std::size_t last = 0;
  for (std::size_t first = 0; first < matches.size(); ++first) {
    for (; last < matches.size() && matches[last].end <= matches[first].start + size; ++last) {
      if (counts[matches[last].term]++ == 0) ++different;
    }
    if (last <= first) {  // a match that is longer than the window
      last = first + 1;
      if (best_score.first == 0) best = {matches[first].start, matches[first].start + size};
      continue;
    }
    const std::pair score{different, last - first};
    if (score > best_score) {
      best_score = score;
      best = {matches[first].start, matches[last - 1].end};
    }
    if (--counts[matches[first].term] == 0) --different;
  }
  return best;
}

// The text on one line; never longer than it was.
std::string on_one_line(std::string_view text) {
  std::string line;
  bool has_gap = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint character = decode_utf8(text, at);
    if (is_space(character.value)) {
      has_gap = true;
    } else {
      if (has_gap && !line.empty()) line.push_back(' ');
      has_gap = false;
      if (character.value == kReplacementCharacter && character.length == 1) {
        line.push_back('?');  // a byte that is not UTF-8
      } else {
        line.append(text.substr(at, character.length));
      }
    }
    at += character.length;
  }
  return line;
}

// The window around the place, moved inwards to spaces where there are some, so that no word is cut.
Highlight window_around(std::string_view document, Highlight place, std::size_t size) {
  const std::size_t slack = size - std::min(size, place.end - place.start);
  std::size_t start = place.start - std::min(place.start, slack / 3);
  start = std::min(start, document.size() - std::min(document.size(), size));
  start = floor_char_boundary(document, start);
  std::size_t end = floor_char_boundary(document, std::min(start + size, document.size()));
  if (start > 0) {
    const std::size_t space = document.find_first_of(" \n\t", start);
    if (space < place.start) start = space + 1;
  }
  if (end < document.size()) {
    const std::size_t space = document.find_last_of(" \n\t", end);
    if (space != std::string_view::npos && space >= std::max(place.end, start + 1)) end = space;
  }
  return {start, end};
}

}  // namespace

std::vector<Highlight> highlights(std::string_view document, const std::vector<std::string>& terms) {
  std::vector<Highlight> merged;
  for (const TermMatch& match : TermMatcher(terms).find(document)) {
    if (!merged.empty() && match.start <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, match.end);
    } else {
      merged.push_back({match.start, match.end});
    }
  }
  return merged;
}

std::string snippet(std::string_view document, const std::vector<std::string>& terms, std::size_t max_bytes) {
  constexpr std::string_view kEllipsis = "…";
  if (document.size() <= max_bytes) return on_one_line(document);
  if (max_bytes < 4 * kEllipsis.size())
    return on_one_line(document.substr(0, floor_char_boundary(document, max_bytes)));

  const std::size_t size = max_bytes - 2 * kEllipsis.size();
  const Highlight place = best_place(TermMatcher(terms).find(document), terms.size(), size);
  const Highlight window = window_around(document, place, size);
  std::string text = on_one_line(document.substr(window.start, window.end - window.start));
  if (window.start > 0) text.insert(0, kEllipsis);
  if (window.end < document.size()) text.append(kEllipsis);
  return text;
}

}  // namespace loci
