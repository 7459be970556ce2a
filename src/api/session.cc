#include "api/session.h"

#include <utility>

#include "api/model_list.h"
#include "embed/make_embedder.h"

namespace loci {
namespace {

// A server tells it with its first vector.
Status learn_dimension(const Embedder& embedder) {
  if (embedder.dimension() > 0) return {};
  const std::string probe = "ready";
  TRY(embedder.embed({&probe, 1}));
  return {};
}

}  // namespace

Result<ChosenPalace> Session::palace(const std::optional<std::string>& name) {
  Settings settings = TRY(this->settings());
  if (name) settings.backend = {.value = *name, .origin = SettingOrigin::flag};
  const auto with_its_origin = [&](const Error& error) {
    // A name that does not exist is a mistake in the request, and not the same as a palace that is not there.
    const ErrorKind kind = error.kind == ErrorKind::not_found ? ErrorKind::invalid_argument : error.kind;
    return Error{kind, error.message + " (" + settings.backend.value + " was " +
                           std::string(to_string(settings.backend.origin)) + ")"};
  };
  const Result<Backend*> backend = registry_.find(settings.backend.value);
  if (!backend.ok()) return with_its_origin(backend.error());
  PalaceRef ref = palace_ref(settings.palace);
  ref.palace_namespace = settings.palace_namespace;
  if (ref.local_path) {
    const Status status = registry_.check_folder(settings.backend.value, *ref.local_path);
    if (!status.ok()) return with_its_origin(status.error());
  }
  return ChosenPalace{.settings = std::move(settings), .backend = *backend, .ref = std::move(ref)};
}

Result<std::shared_ptr<Collection>> Session::drawers(const ChosenPalace& palace, Purpose purpose,
                                                     IfMissing if_missing) {
  OpenOptions open = {.if_missing = if_missing, .access = options_.access, .model_swap = options_.model_swap};
  if (purpose == Purpose::write_texts) {
    open.embedder = TRY(embedder(palace.settings));
    // Vectors of another length cannot go on with those that are there, which has to show before the swap is recorded.
    if (open.embedder != nullptr && open.model_swap == ModelSwap::force) TRY(learn_dimension(*open.embedder));
    open.embed_text = palace.settings.embed == EmbedWhen::now ? EmbedText::on_write : EmbedText::later;
  }
  return palace.backend->collection(palace.ref, palace.settings.collection.value, open);
}

Result<Session::MadeEmbedder> Session::make(const Settings& settings, const std::string& name) const {
  EmbedderOptions options = {.models = TRY(read_model_places(options_.sources)),
                             .url = settings.embedder_url,
                             .api_key = options_.sources.embedder_key,
                             .openai_api_key = options_.sources.openai_key};
  options.stop = &stop_;
  MadeEmbedder made;
  made.embedder = TRY(make_embedder(name, options));
  options.patience = Patience::brief;
  if (asks_a_server(name)) made.probe = TRY(make_embedder(name, options));
  return made;
}

Result<const Embedder*> Session::embedder(const Settings& settings, const std::string& name) {
  std::pair key(name, settings.embedder_url);
  const MutexLock lock(mutex_);
  auto found = embedders_.find(key);
  if (found == embedders_.end()) found = embedders_.emplace(std::move(key), TRY(make(settings, name))).first;
  return const_cast<const Embedder*>(found->second.embedder.get());
}

Status Session::check_ready(const Embedder& embedder) {
  if (!options_.loads_model_in_background) return ok_status();
  const MutexLock lock(mutex_);
  const Embedder* probe = &embedder;
  for (const auto& [key, made] : embedders_) {
    if (made.embedder.get() == &embedder && made.probe != nullptr) probe = made.probe.get();
  }
  return loader_.check(embedder, *probe);
}

}  // namespace loci
