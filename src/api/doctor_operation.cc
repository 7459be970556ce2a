// doctor: is everything as it should be?
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/caller.h"
#include "api/model_list.h"
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

// The embedder in force, whose model is loaded where it runs here: a file may be missing or damaged. Nothing where none
// was chosen on purpose.
std::optional<Check> check_embedder(Session& session, const Settings& settings, DoctorRequest& request) {
  Check check{.name = "embedder"};
  const auto failed = [&](const Error& error) {
    check.state = CheckState::problem;
    check.detail = error.message;
    return check;
  };
  const Result<const Embedder*> embedder = session.embedder(settings);
  if (!embedder.ok()) return failed(embedder.error());
  if (*embedder == nullptr) {
    if (settings.embedder.origin != SettingOrigin::default_value) return std::nullopt;
    check.state = CheckState::warning;
    check.detail = "none, so that searches go by words only: " + why_no_embedder(settings);
    return check;
  }
  request.current_model = check.detail = (*embedder)->model_name();
  const Result<ModelPlaces> places = read_model_places(session.options().sources);
  if (!places.ok()) return failed(places.error());
  if (!find_model(*places, settings.embedder.value).ok()) return check;  // a server is not asked
  const std::string probe = "ready";
  const Result<std::vector<Embedding>> vectors = (*embedder)->embed({&probe, 1});
  return vectors.ok() ? check : failed(vectors.error());
}

Json checks_to_json(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name}, {"state", to_string(check.state)}, {"detail", check.detail}});
    if (!check.fix.empty()) list.back()["fix"] = check.fix;
  }
  return list;
}

bool is_missing(Backend* backend, const PalaceRef& palace) {
  if (backend == nullptr) return false;
  const Result<std::vector<CollectionInfo>> collections = backend->collections(palace, Access::read_only);
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
    if (std::optional<Check> check = check_embedder(session, palace->settings, request))
      checks.push_back(*std::move(check));
  } else {
    checks.push_back({.name = "settings", .state = CheckState::problem, .detail = palace.error().message});
  }
  for (Check& check : diagnose(backend, request)) checks.push_back(std::move(check));
  const CheckState state = worst(checks);
  Outcome outcome = state == CheckState::problem ? Outcome::needs_attention : Outcome::done;
  if (outcome == Outcome::done && is_missing(backend, request.palace)) {
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
