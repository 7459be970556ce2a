#include "search/places.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "search/drawer_metadata.h"
#include "text/place_name.h"
#include "text/query_words.h"

namespace loci {
namespace {

// Of a name, so that a whole word of it can be looked for: "_my_project_".
std::string between_marks(std::string_view text) { return "_" + place_name_from(text) + "_"; }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_word_beside(std::string_view question, std::string_view name, std::string_view word) {
  const std::string before = "_" + std::string(word) + std::string(name);
  const std::string after = std::string(name) + std::string(word) + "_";
  return has(question, before) || has(question, after);
}

// Of several words, none of them one that says little by itself ("how_to").
bool is_distinct(std::string_view name) {
  constexpr std::size_t kShortestPart = 3;
  constexpr std::size_t kFewestParts = 2;
  std::size_t parts = 0;
  for (std::size_t start = 1; start < name.size();) {
    const std::size_t end = name.find('_', start);
    const std::string_view part = name.substr(start, end - start);
    if (part.size() < kShortestPart || is_common_word(part)) return false;
    ++parts;
    start = end + 1;
  }
  return parts >= kFewestParts;
}

// What a question says of one kind of places.
class Named {
 public:
  Named(std::string_view question, std::string_view kind) : question_(question), kind_(kind) {}

  void look_at(std::string_view name) {
    const std::string normal = between_marks(name);
    constexpr std::size_t kNothing = 2;
    if (normal.size() <= kNothing || !has(question_, normal)) return;
    if (has_word_beside(question_, normal, kind_)) add_once(with_word_, name);
    if (is_distinct(normal)) add_once(distinct_, name);
  }

  const std::vector<std::string>& with_word() const { return with_word_; }
  const std::vector<std::string>& distinct() const { return distinct_; }

 private:
  static void add_once(std::vector<std::string>& names, std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }

  std::string_view question_;
  std::string_view kind_;
  std::vector<std::string> with_word_;
  std::vector<std::string> distinct_;
};

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_condition(std::string_view key, const std::vector<std::string>& names, std::vector<Filter>& parts) {
  std::vector<Filter> any;
  for (const std::string& name : names)
    any.push_back(Filter::of({.key = std::string(key), .op = FilterOperator::eq, .operands = {name}}));
  if (!any.empty()) parts.push_back(Filter::any_of(std::move(any)));
}

}  // namespace

Result<NamedPlaces> named_places(const Collection& drawers, std::string_view question,
                                 std::span<const Record> best_by_words) {
  const std::string asked = between_marks(question);
  Named wings(asked, "wing");
  Named rooms(asked, "room");
  for (const Record& record : best_by_words) {
    wings.look_at(drawer_metadata::text(record.metadata, drawer_metadata::kWing));
    rooms.look_at(drawer_metadata::text(record.metadata, drawer_metadata::kRoom));
  }
  if (has(asked, "_wing_") || has(asked, "_room_")) {
    const std::vector<std::string> keys = {std::string(drawer_metadata::kWing), std::string(drawer_metadata::kRoom)};
    for (const GroupCount& group : TRY(drawers.count_by(keys))) {
      wings.look_at(group.values[0].value_or(""));
      rooms.look_at(group.values[1].value_or(""));
    }
  }
  // Who says "the shop wing" has said which places are meant.
  NamedPlaces said = {.wings = wings.with_word(), .rooms = rooms.with_word()};
  if (!said.is_empty()) return said;
  return NamedPlaces{.wings = wings.distinct(), .rooms = rooms.distinct()};
}

double share_of_places(const NamedPlaces& places, const Metadata& metadata) {
  int named = 0;
  int shared = 0;
  const auto add = [&](const std::vector<std::string>& names, std::string_view key) {
    if (names.empty()) return;
    ++named;
    if (has_name(names, drawer_metadata::text(metadata, key))) ++shared;
  };
  add(places.wings, drawer_metadata::kWing);
  add(places.rooms, drawer_metadata::kRoom);
  return named == 0 ? 0 : static_cast<double>(shared) / named;
}

Filter in_places(const Filter& where, const NamedPlaces& places) {
  std::vector<Filter> parts;
  if (!where.is_empty()) parts.push_back(where);
  add_condition(drawer_metadata::kWing, places.wings, parts);
  add_condition(drawer_metadata::kRoom, places.rooms, parts);
  if (parts.size() == 1) return std::move(parts.front());
  return Filter::all_of(std::move(parts));
}

}  // namespace loci
