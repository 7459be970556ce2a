// doctor: is everything as it should be?
#include <utility>

#include "api/caller.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "ops/doctor.h"

namespace loci {
namespace {

constexpr Example kDoctorExamples[] = {
    {"doctor", "check the program, the configuration and the palace"},
};

DoctorRequest request_for(Session& session) {
  DoctorRequest request;
  request.program_version = session.options().program_version;
  for (const ConfigurationSource& source : read_configuration(session.options().sources)) {
    request.configuration.push_back({.path = source.path, .is_present = source.is_present, .status = source.status});
  }
  return request;
}

Json checks_to_json(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name}, {"state", to_string(check.state)}, {"detail", check.detail}});
    if (!check.fix.empty()) list.back()["fix"] = check.fix;
  }
  return list;
}

bool is_missing(Backend* backend, const PalaceRef& palace, Access access) {
  if (backend == nullptr) return false;
  const Result<std::vector<CollectionInfo>> collections = backend->collections(palace, access);
  return !collections.ok() && collections.error().kind == ErrorKind::palace_not_found;
}

Result<Answer> run_doctor(Session& session, const Request&, Caller&) {
  DoctorRequest request = request_for(session);
  request.palace = PalaceRef::at(TRY(resolve_palace(session.options().sources)));
  Backend* backend = nullptr;
  const Result<ChosenPalace> palace = session.palace();
  std::vector<Check> checks;
  if (palace.ok()) {
    backend = palace->backend;
    request.palace = palace->ref;
    request.backend_reason = to_string(palace->settings.backend.origin);
    const Result<const Embedder*> embedder = session.embedder(palace->settings);
    if (!embedder.ok()) {
      checks.push_back({.name = "embedder", .state = CheckState::problem, .detail = embedder.error().message});
    } else if (*embedder != nullptr) {
      request.current_model = (*embedder)->model_name();
    }
  } else {
    checks.push_back({.name = "settings", .state = CheckState::problem, .detail = palace.error().message});
  }
  for (Check& check : diagnose(backend, request)) checks.push_back(std::move(check));
  const CheckState state = worst(checks);
  Outcome outcome = state == CheckState::problem ? Outcome::needs_attention : Outcome::done;
  if (outcome == Outcome::done && is_missing(backend, request.palace, session.options().access)) {
    outcome = Outcome::not_found;
  }
  return Answer{{{"palace", request.palace.id}, {"state", to_string(state)}, {"checks", checks_to_json(checks)}},
                outcome};
}

}  // namespace

constexpr Operation kDoctorOperation = {
    .name = "doctor",
    .summary = "Check the program, the configuration and the palace; change nothing.",
    .fields = {},
    .examples = kDoctorExamples,
    .run = run_doctor,
};

}  // namespace loci
