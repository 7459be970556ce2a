// The one way in which names of wings and rooms are made from names of files and folders. Names that a person gives are
// kept as they are, and compared by this form (palace/known_place.h). Pure; any thread may call it.
#pragma once

#include <string>
#include <string_view>

namespace loci {

// Lower case, with one underscore for each run of what is neither letter nor digit, and none at the ends: "My-App 2"
// becomes "my_app_2". Letters of all scripts stay. Empty when nothing is left.
std::string place_name_from(std::string_view text);

}  // namespace loci
