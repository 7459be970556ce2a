// maintenance: what a palace's indexes and files look like, and the work that keeps them in shape.
#include <string>
#include <utility>

#include "api/caller.h"
#include "api/record_json.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"

namespace loci {
namespace {

constexpr std::string_view kActions[] = {"state", "run"};
constexpr Field kMaintenanceFields[] = {
    {.name = "action",
     .help = "state: a report; run: do the work of one kind",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .choices = kActions,
     .placeholder = "state|run"},
    {.name = "kind",
     .help = "what to run: analyze (statistics), compact (space), reindex (indexes), or a kind of the backend's own",
     .on_command_line = OnCommandLine::positional,
     .placeholder = "KIND"},
};
constexpr Example kMaintenanceExamples[] = {
    {"maintenance state", "rows, free space, and what is running"},
    {"maintenance run compact", "give space back; others may go on reading and writing"},
    {"maintenance run reindex --json", "make every index again from the rows, for scripts"},
};

std::string list_of(const std::set<std::string, std::less<>>& kinds) {
  std::string list;
  for (const std::string& kind : kinds) list += (list.empty() ? "" : ", ") + kind;
  return list.empty() ? "none" : list;
}

Effect effect_of_maintenance(const Request& request) {
  return request.required_text("action") == "state" ? Effect::reads : Effect::writes;
}

Result<Answer> run_maintenance(Session& session, const Request& request, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  const std::optional<std::string> kind = request.text("kind");
  if (request.required_text("action") == "state") {
    if (kind) return Error{ErrorKind::invalid_argument, "state takes no kind; `maintenance run " + *kind + "` runs it"};
    const Metadata state = TRY(palace.backend->maintenance_state(palace.ref, session.options().access));
    return Answer{
        {{"palace", palace.ref.id}, {"kinds", palace.backend->info().maintenance_kinds}, {"state", to_json(state)}}};
  }
  const std::string kinds = list_of(palace.backend->info().maintenance_kinds);
  if (!kind) return Error{ErrorKind::invalid_argument, "run needs a kind; the backend has " + kinds};
  const Result<MaintenanceReport> report = palace.backend->run_maintenance(palace.ref, *kind);
  if (!report.ok() && report.error().kind == ErrorKind::unsupported_maintenance_kind)
    return Error{report.error().kind, report.error().message + "; it has " + kinds};
  if (!report.ok()) return report.error();
  return Answer{{{"palace", palace.ref.id},
                 {"kind", report->kind},
                 {"status", to_string(report->status)},
                 {"stats", to_json(report->stats)}}};
}

}  // namespace

constexpr Operation kMaintenanceOperation = {
    .name = "maintenance",
    .summary = "Show the state of a palace's indexes and files, or keep them in shape.",
    .fields = kMaintenanceFields,
    .examples = kMaintenanceExamples,
    .effect = Effect::writes,
    .effect_of = effect_of_maintenance,
    .reads_when = "with the action state",
    .run = run_maintenance,
};

}  // namespace loci
