// Chooses, among the places where meaning breaks, those where a text is cut.
//
// Strong places first: between two cuts, the places of one rank are considered together, and a place is a cut when its
// key (a hash of the bytes after it) is the greatest within half a target on either side. So cuts lie at least half a
// target apart and about one target on average, and whether a place is one depends on nothing farther away than that.
// What is still too long is walked from its beginning, the greatest key within reach being the next cut; that walk,
// too, soon meets the cuts it took before a change. Weaker ranks then divide what is longer than one and a half
// targets.
//
// Packing paragraphs greedily from the top was rejected: a line added to a file would move every cut after it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/outline.h"

namespace loci {

// The byte positions of the cuts, in order, with 0 and the size of the text; for an empty text just 0.
std::vector<std::size_t> choose_cuts(std::string_view text, const Outline& outline, std::size_t target_characters);

}  // namespace loci
