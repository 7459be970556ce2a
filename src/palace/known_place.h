// Wings and rooms under the names that a palace has for them. People and programs spell one name in several ways
// ("my-Project.X", "my_project_x"); a name means the place whose normal form (text/place_name.h) is the same, so that
// nothing is hidden behind a hyphen and no second wing grows beside the first. Many threads may call these at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/metadata.h"
#include "loci/result.h"
#include "palace/place.h"

namespace loci {

enum class PlaceKind { wing, room };

struct UnknownPlace {
  PlaceKind kind;
  std::vector<std::string> known;  // what there is instead: the wings, or the rooms of the wing; each once
};

struct KnownPlace {
  std::optional<std::string> wing;  // as the palace has it, where it does; else as it was given
  std::optional<std::string> room;
  std::optional<UnknownPlace> unknown = {};  // the first of the two that no drawer is in
};

// A name that some drawer has as it was given stands for itself; of several others with its normal form the one with
// the most drawers is meant. Drawers are counted only where no drawer is in the place as it was given. Errors: those of
// the collection.
Result<KnownPlace> known_place(const Collection& drawers, std::optional<std::string> wing,
                               std::optional<std::string> room);

// Gives the metadata's wing and room the names that the palace has for them.
Status join_known_place(const Collection& drawers, Metadata& metadata);

}  // namespace loci
