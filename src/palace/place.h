// Where a drawer is kept: a wing (a project, person or agent) and a room (a topic in it). Pure functions; any thread
// may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/drawer_keys.h"
#include "loci/collection.h"
#include "loci/filter.h"
#include "loci/metadata.h"
#include "loci/result.h"

namespace loci {

inline constexpr std::size_t kMaxPlaceNameCharacters = 128;

// A name that a person gave is kept as it is; it must have a visible character, none that is a control character, and
// nothing that leads somewhere else where a name becomes a path: no slash and no "..". `what` is "wing" or "room", for
// the message. Errors: invalid_argument.
Status check_place_name(std::string_view what, std::string_view name);

// The drawers that a request is about. The parts are combined with "and"; an empty scope holds all drawers.
struct Scope {
  std::optional<std::string> wing = {};
  std::optional<std::string> room = {};
  std::optional<std::string> source = {};  // a part of the source's name
  std::optional<std::string> tag = {};
  std::optional<std::string> role = {};
  std::optional<std::string> agent = {};
  std::optional<std::string> kind = {};
  // Of a drawer's time: its content date, else when it was filed. From the one, up to but without the other.
  std::optional<std::int64_t> since_unix_ms = {};
  std::optional<std::int64_t> before_unix_ms = {};
  Filter where = {};

  bool is_empty() const { return is_place_only() && !wing && !room; }
  // Does nothing but the place tell which drawers are in it?
  bool is_place_only() const {
    return !source && !tag && !role && !agent && !kind && !since_unix_ms && !before_unix_ms && where.is_empty();
  }
};

// A filter of one comparison with a text.
Filter condition(std::string_view key, FilterOperator op, std::string value);

Filter to_filter(const Scope& scope);

// How many drawers are in the scope. Errors: those of the collection; unsupported_filter.
Result<std::size_t> count_in_scope(const Collection& drawers, const Scope& scope);

// The string under the key; nothing when it is absent or of another type.
std::optional<std::string> string_value(const Metadata& metadata, std::string_view key);

}  // namespace loci
