#include "api/scope_fields.h"

#include "base/clock.h"
#include "loci/filter.h"
#include "palace/time_span.h"

namespace loci {

namespace {

Status read_times(const Request& request, Scope& scope) {
  const std::optional<std::string> since = request.text(kSinceField.name);
  const std::optional<std::string> before = request.text(kBeforeField.name);
  const std::optional<std::string> on = request.text(kOnField.name);
  if (on && (since || before))
    return Error{ErrorKind::invalid_argument, "`on` already says from when to when; leave out `since` and `before`"};
  const std::int64_t now = now_unix_ms();
  if (since) scope.since_unix_ms = TRY(parse_time_span(*since, now)).start_unix_ms;
  if (before) scope.before_unix_ms = TRY(parse_time_span(*before, now)).start_unix_ms;
  if (on) {
    const TimeSpan span = TRY(parse_time_span(*on, now));
    scope.since_unix_ms = span.start_unix_ms;
    scope.before_unix_ms = span.end_unix_ms;
  }
  return ok_status();
}

}  // namespace

Result<Scope> scope_from(const Request& request) {
  Scope scope = {.wing = request.text(kWingField.name),
                 .room = request.text(kRoomField.name),
                 .source = request.text(kSourceField.name),
                 .tag = request.text(kTagField.name),
                 .role = request.text(kRoleField.name),
                 .agent = request.text(kAgentField.name),
                 .kind = request.text(kKindField.name)};
  TRY(read_times(request, scope));
  scope.where = TRY(where_from(request));
  return scope;
}

Result<Filter> where_from(const Request& request) {
  const Json* where = request.object(kWhereField.name);
  return where == nullptr ? Filter() : parse_filter(to_text(*where, JsonLayout::one_line));
}

}  // namespace loci
