#include "api/scope_fields.h"

#include "loci/filter.h"

namespace loci {

Result<Scope> scope_from(const Request& request) {
  Scope scope = {.wing = request.text(kWingField.name), .room = request.text(kRoomField.name)};
  if (const Json* where = request.object(kWhereField.name)) {
    scope.where = TRY(parse_filter(to_text(*where, JsonLayout::one_line)));
  }
  return scope;
}

}  // namespace loci
