// backends and set_embedder: what stores the palace, and which model its vectors are of.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/caller.h"
#include "api/model_list.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "embed/models.h"

namespace loci {
namespace {

// --- backends ---

constexpr Example kBackendsExamples[] = {
    {"backends", "what there is, and which one the palace uses"},
};

Json backend_to_json(const BackendInfo& info) {
  return {{"name", info.name},
          {"spec_version", info.spec_version},
          {"capabilities", info.capabilities},
          {"maintenance_kinds", info.maintenance_kinds},
          {"max_batch", info.max_batch ? Json(*info.max_batch) : Json(nullptr)}};
}

Result<Answer> run_backends(Session& session, const Request&, Caller&) {
  const Settings settings = TRY(session.settings());
  Json list = Json::array();
  for (const std::string& name : session.registry().names()) {
    const Result<Backend*> backend = session.registry().find(name);
    // One that cannot be made is shown with the reason, beside those that can.
    list.push_back(backend.ok() ? backend_to_json((*backend)->info())
                                : Json{{"name", name}, {"error", backend.error().message}});
  }
  return Answer{{{"backends", std::move(list)},
                 {"selected", {{"name", settings.backend.value}, {"reason", to_string(settings.backend.origin)}}},
                 {"palace", settings.palace.string()}}};
}

// --- set_embedder ---

constexpr Field kSetEmbedderFields[] = {
    {.name = "model",
     .help = "the name of the model that made the vectors",
     .is_required = true,
     .placeholder = "NAME"},
    {.name = "dimension",
     .type = FieldType::integer,
     .help = "the length of its vectors",
     .minimum = 1,
     .maximum = 1 << 20},
    {.name = "force_model_swap", .type = FieldType::boolean, .help = "replace another model's name, and log it"},
};
constexpr Example kSetEmbedderExamples[] = {
    {"set-embedder --model all-MiniLM-L6-v2", "confirm the model of vectors that came without a name"},
};

// Of a model that is at hand; nothing for a name that says nothing here.
Result<std::optional<std::size_t>> known_dimension(Session& session, const Settings& settings,
                                                   const std::string& model) {
  for (const ModelFolder& folder : list_models(TRY(read_model_places(session.options().sources)))) {
    if (folder.identity == model && folder.dimension) return folder.dimension;
  }
  const Result<const Embedder*> embedder = session.embedder(settings, model);
  const bool is_this_model = embedder.ok() && *embedder != nullptr && (*embedder)->model_name() == model;
  if (!is_this_model || (*embedder)->dimension() == 0) return std::optional<std::size_t>();
  return std::optional((*embedder)->dimension());
}

Result<Answer> run_set_embedder(Session& session, const Request& request, Caller&) {
  const std::string model = request.required_text("model");
  if (model.empty()) return Error{ErrorKind::invalid_argument, "model is empty; give the name of a model"};
  std::optional<std::size_t> dimension;
  if (const std::optional<std::int64_t> given = request.integer("dimension"))
    dimension = static_cast<std::size_t>(*given);
  const bool is_forced = request.flag("force_model_swap") || session.options().model_swap == ModelSwap::force;

  const ChosenPalace palace = TRY(session.palace());
  const std::string& collection = palace.settings.collection.value;
  if (!dimension) dimension = TRY(known_dimension(session, palace.settings, model));
  TRY(palace.backend->set_embedder(palace.ref, collection, model, dimension,
                                   is_forced ? ModelSwap::force : ModelSwap::refuse));
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  const CollectionInfo now = TRY(drawers->info());
  return Answer{{{"palace", palace.settings.palace.string()},
                 {"collection", collection},
                 {"model", model},
                 {"dimension", now.dimension ? Json(*now.dimension) : Json(nullptr)}}};
}

}  // namespace

constexpr Operation kBackendsOperation = {
    .name = "backends",
    .summary = "List the storage backends, what they can do, and which one is in use.",
    .fields = {},
    .examples = kBackendsExamples,
    .run = run_backends,
};
constexpr Operation kSetEmbedderOperation = {
    .name = "set_embedder",
    .summary = "Confirm which model made the vectors of a collection.",
    .fields = kSetEmbedderFields,
    .examples = kSetEmbedderExamples,
    .effect = Effect::writes,
    .run = run_set_embedder,
};

}  // namespace loci
