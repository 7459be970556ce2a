// model: which embedding models there are, which one is used, and whether it is sound.
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "api/caller.h"
#include "api/configuration_file.h"
#include "api/model_list.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "embed/make_embedder.h"
#include "embed/sentence_embedder.h"
#include "store/identity.h"

namespace loci {
namespace {

constexpr std::string_view kActions[] = {"list", "show", "use", "check", "add"};
constexpr Field kModelFields[] = {
    {.name = "action",
     .help = "list, show, use, check or add",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .choices = kActions,
     .placeholder = "ACTION"},
    {.name = "name",
     .help = "the model; for use and check any embedder",
     .on_command_line = OnCommandLine::positional,
     .placeholder = "NAME"},
    {.name = "folder",
     .type = FieldType::path,
     .help = "with add: where its config.json, tokenizer.json and weights are; they stay there. Not needed for a model "
             "that is in the list already: ./loci fetches it",
     .placeholder = "PATH"},
};
constexpr Example kModelExamples[] = {
    {"model list", "the models there are, and which one is used"},
    {"model use hash", "use another one from now on, where a palace does not say otherwise"},
    {"model check hash", "are its files the right ones, and does it work?"},
};

Json model_to_json(const ModelFolder& model, const Settings& settings) {
  return {{"name", model.name},
          {"identity", model.identity},
          {"dimension", model.dimension ? Json(*model.dimension) : Json(nullptr)},
          {"folder", model.folder.string()},
          {"comes_with_loci", model.is_built_in},
          {"present", model.is_present},
          {"windows", model.reads_windows ? Json(nullptr) : Json(model.name + std::string(kWindowsSuffix))},
          {"in_use", settings.embedder.value == model.name ||
                         settings.embedder.value == model.name + std::string(kWindowsSuffix)}};
}

Json in_force(const Settings& settings) {
  return {{"name", settings.embedder.value}, {"reason", to_string(settings.embedder.origin)}};
}

Result<std::string> required_name(const Request& request) {
  std::optional<std::string> name = request.text("name");
  if (name && !name->empty()) return std::move(*name);
  return Error{ErrorKind::invalid_argument,
               "model " + request.required_text("action") + " needs a NAME; model list has them"};
}

Result<Answer> list_all(Session& session, const Settings& settings) {
  Json models = Json::array();
  for (const ModelFolder& model : list_models(TRY(read_model_places(session.options().sources))))
    models.push_back(model_to_json(model, settings));
  return Answer{{{"models", std::move(models)}, {"embedder", in_force(settings)}}};
}

Result<Answer> show(Session& session, const Settings& settings, const std::string& name) {
  const ModelFolder model = TRY(find_model(TRY(read_model_places(session.options().sources)), name));
  Json body = model_to_json(model, settings);
  if (!model.is_present) body["problem"] = missing_model(model).message;
  return Answer{std::move(body), model.is_present ? Outcome::done : Outcome::needs_attention};
}

// The model of the palace in force; empty without a palace, a collection or a model.
std::string stored_model(Session& session) {
  const Result<ChosenPalace> palace = session.palace();
  if (!palace.ok()) return "";
  const auto collections = palace->backend->collections(palace->ref, Access::read_only);
  if (!collections.ok()) return "";
  for (const CollectionInfo& info : *collections) {
    if (info.name == palace->settings.collection.value) return info.model;
  }
  return "";
}

Result<Answer> use(Session& session, const Settings& settings, const std::string& name) {
  const Embedder* embedder = TRY(session.embedder(settings, name));  // a name that does not exist is not written down
  const std::optional<std::filesystem::path> path = user_configuration_path(session.options().sources);
  if (!path) return Error{ErrorKind::invalid_argument, "there is no home folder for the configuration; set LOCI_HOME"};
  TRY(write_user_configuration(*path, {.embedder = name}));

  const Settings now = TRY(session.settings());
  Json body = {{"name", name}, {"configuration", path->string()}, {"embedder", in_force(now)}};
  const std::string stored = stored_model(session);
  const bool fits = embedder == nullptr || stored.empty() || stored == embedder->model_name();
  if (now.embedder.value != name) {
    body["note"] =
        "here the embedder is " + now.embedder.value + ", which is " + std::string(to_string(now.embedder.origin));
  } else if (!fits) {
    body["note"] = "the palace holds vectors of " + stored + "; embed --model " + name + " makes new ones";
  }
  return Answer{std::move(body)};
}

// Two texts that mean the same, and one that does not.
const std::vector<std::string>& probe_texts() {
  static const std::vector<std::string> kTexts = {"The cat sleeps on the sofa", "A cat is asleep on the couch",
                                                  "Interest rates were raised by half a point"};
  return kTexts;
}

double cosine(const Embedding& a, const Embedding& b) {
  double dot = 0;
  double lengths[2] = {0, 0};
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    lengths[0] += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    lengths[1] += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return dot / std::sqrt(lengths[0] * lengths[1]);
}

Result<Json> check_files(Session& session, const std::string& name, bool& is_sound) {
  Json list = Json::array();
  const Result<ModelFolder> model = find_model(TRY(read_model_places(session.options().sources)), name);
  if (!model.ok()) return list;  // a server's model, or one without files
  for (const ModelFile& file : TRY(examine_files(*model))) {
    const bool differs = file.is_pinned && !*file.is_pinned;
    is_sound = is_sound && !differs;
    std::string state = "not pinned";
    if (file.is_pinned)
      state = differs ? "differs from the pinned file; " + fetching_command(*model) + " fetches it anew" : "as pinned";
    list.push_back(
        {{"file", file.name}, {"bytes", file.size_bytes}, {"sha256", file.sha256}, {"state", std::move(state)}});
  }
  return list;
}

Result<Answer> check(Session& session, const Settings& settings, const std::string& name) {
  bool is_sound = true;
  const Embedder* embedder = TRY(session.embedder(settings, name));
  if (embedder == nullptr)
    return Error{ErrorKind::invalid_argument, "there is no model in the embedder none; name one"};
  Json files = TRY(check_files(session, name, is_sound));
  const std::vector<Embedding> vectors = TRY(embed_texts(*embedder, probe_texts()));
  const double alike = cosine(vectors[0], vectors[1]);
  const double unlike = cosine(vectors[0], vectors[2]);
  return Answer{{{"name", name},
                 {"identity", embedder->model_name()},
                 {"dimension", vectors.front().size()},
                 {"files", std::move(files)},
                 {"similarity", {{"of_like_texts", alike}, {"of_unlike_texts", unlike}}},
                 {"sound", is_sound && alike > unlike}},
                is_sound && alike > unlike ? Outcome::done : Outcome::needs_attention};
}

Result<Answer> add(Session& session, const Settings& settings, const std::string& name, const Request& request) {
  const std::optional<std::string> folder = request.text("folder");
  const Result<ModelFolder> known = find_model({.built_in = session.options().sources.models_folder}, name);
  if (!folder || folder->empty()) {
    if (known.ok() && known->is_present) return Answer{model_to_json(*known, settings)};
    if (known.ok()) return missing_model(*known);
    return Error{ErrorKind::invalid_argument, "model add needs --folder PATH for a model that Loci does not know"};
  }
  if (name == kNoEmbedder || name.starts_with("hash"))
    return Error{ErrorKind::invalid_argument, "the name " + name + " means another embedder; choose another"};
  ModelFolder model = TRY(describe_folder(name, std::filesystem::absolute(*folder).lexically_normal()));
  // What cannot be opened would fail with the first text only.
  model.fingerprint = TRY(SentenceEmbedder::open(model.folder))->fingerprint();
  TRY(check_name_is_free(TRY(read_model_places(session.options().sources)), model));
  TRY(register_model(session.options().sources,
                     {.name = name, .folder = model.folder, .fingerprint = model.fingerprint}));
  return Answer{model_to_json(model, settings)};
}

Result<Answer> run_model(Session& session, const Request& request, Caller&) {
  const std::string action = request.required_text("action");
  if (action == "list" && request.text("name"))
    return Error{ErrorKind::invalid_argument, "model list takes no NAME; model show NAME is about one model"};
  if (action != "add" && request.text("folder"))
    return Error{ErrorKind::invalid_argument,
                 "model " + action + " takes no --folder; model add NAME --folder PATH does"};
  const Settings settings = TRY(session.settings());
  if (action == "list") return list_all(session, settings);
  if (action == "check") return check(session, settings, request.text("name").value_or(settings.embedder.value));
  const std::string name = TRY(required_name(request));
  if (action == "show") return show(session, settings, name);
  if (action == "use") return use(session, settings, name);
  return add(session, settings, name, request);
}

Effect effect_of_model(const Request& request) {
  const std::string action = request.required_text("action");
  return action == "use" || action == "add" ? Effect::writes : Effect::reads;
}

}  // namespace

constexpr Operation kModelOperation = {
    .name = "model",
    .summary = "List the embedding models, choose one, check it, or add one from a folder.",
    .fields = kModelFields,
    .examples = kModelExamples,
    .effect = Effect::writes,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_model,
    .run = run_model,
};

}  // namespace loci
