// Wings and rooms that a question names: "what did we decide in the shop wing". The names are those that the palace
// has, so that a living room is none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/filter.h"
#include "loci/metadata.h"
#include "loci/record.h"
#include "loci/result.h"

namespace loci {

struct NamedPlaces {
  std::vector<std::string> wings;  // as drawers have them
  std::vector<std::string> rooms;

  bool is_empty() const { return wings.empty() && rooms.empty(); }
};

// A name counts beside the word "wing" or "room", however it is spelled ("my-project" is "my_project"). Without that
// word only a name of several words does, each of which says something ("payment_gateway"), if one of the drawers that
// the words find best has it; a name of one word is a word of ordinary questions. Wings and rooms are read from the
// whole palace only where the question has one of the two words, so most searches need not count them. Errors: those of
// the collection.
Result<NamedPlaces> named_places(const Collection& drawers, std::string_view question,
                                 std::span<const Record> best_by_words);

// How much of the places is the drawer's: 1 for all that is named, a half for the wing or the room of both.
double share_of_places(const NamedPlaces& places, const Metadata& metadata);

// The filter narrowed to the places.
Filter in_places(const Filter& where, const NamedPlaces& places);

}  // namespace loci
