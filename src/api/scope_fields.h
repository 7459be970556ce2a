// The fields by which several operations name the drawers they are about.
#pragma once

#include "api/operation.h"
#include "api/request.h"
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

// From the three fields. Errors: unsupported_filter, invalid_argument.
Result<Scope> scope_from(const Request& request);

}  // namespace loci
