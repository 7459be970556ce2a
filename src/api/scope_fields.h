// The fields by which several operations name the drawers they are about.
#pragma once

#include "api/operation.h"
#include "api/request.h"
#include "loci/collection.h"
#include "loci/result.h"
#include "palace/place.h"

namespace loci {

inline constexpr Field kWingField = {.name = "wing", .help = "only drawers of this wing", .placeholder = "WING"};
inline constexpr Field kRoomField = {.name = "room", .help = "only drawers of this room", .placeholder = "ROOM"};
inline constexpr Field kWhereField = {
    .name = "where",
    .type = FieldType::object,
    .help = "only drawers whose metadata pass this filter, such as {\"year\": {\"$gte\": 2020}}",
    .placeholder = "JSON"};

inline constexpr Field kSourceField = {
    .name = "source", .help = "only drawers whose source has this in its name", .placeholder = "PART"};
inline constexpr Field kTagField = {.name = "tag", .help = "only drawers with this tag", .placeholder = "TAG"};
inline constexpr Field kRoleField = {
    .name = "role", .help = "only what this one said, such as user or assistant", .placeholder = "ROLE"};
inline constexpr Field kAgentField = {.name = "agent", .help = "only drawers of this agent", .placeholder = "AGENT"};
inline constexpr Field kKindField = {
    .name = "kind", .help = "only drawers of this kind, such as code or prose", .placeholder = "KIND"};
inline constexpr Field kSinceField = {
    .name = "since",
    .help = "only from this time on: 2026-03-09, 2026-03, yesterday, 7d; by content date, else when it was filed",
    .placeholder = "TIME"};
inline constexpr Field kBeforeField = {.name = "before", .help = "only from before this time", .placeholder = "TIME"};
inline constexpr Field kOnField = {.name = "on", .help = "only of this day, month or year", .placeholder = "TIME"};

// From those of these fields that the request's operation has. Errors: unsupported_filter; invalid_argument, also for
// `on` together with `since` or `before`.
Result<Scope> scope_from(const Request& request);

// Gives the scope the names that the palace has for its wing and room (palace/known_place.h). What it answers says
// which of them no drawer is in, and which name may have been meant: a list for `degraded`. Errors: those of the
// collection.
Result<Json> settle_place(const Collection& drawers, Scope& scope);

// That of the field `where`; an empty one when it is absent. Errors: unsupported_filter.
Result<Filter> where_from(const Request& request);

}  // namespace loci
