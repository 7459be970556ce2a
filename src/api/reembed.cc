#include "api/reembed.h"

#include <iterator>
#include <utility>

#include "api/configuration_file.h"
#include "api/embed_queue.h"
#include "loci/reembedding.h"

namespace loci {
namespace {

constexpr std::size_t kBatch = 64;

Result<Reembedding*> reembedding_of(Collection& drawers, const ChosenPalace& palace) {
  if (Reembedding* reembedding = drawers.reembedding()) return reembedding;
  return Error{ErrorKind::unsupported, "the backend " + palace.backend->info().name + " cannot re-embed"};
}

// Works until all is exchanged, the caller has enough, or only other processes have something to do.
Result<bool> run_steps(Reembedding& reembedding, const Embedder& embedder, EmbeddingStep& all, Caller& caller) {
  const std::optional<ReembeddingState> before = TRY(reembedding.state());
  const std::size_t already = before ? before->done : 0;
  const std::size_t total = before ? before->total : 0;
  while (!caller.is_cancelled()) {
    ReembeddingStep step = TRY(reembedding.step(embedder, kBatch));
    all.embedded += step.embedded;
    std::move(step.refused.begin(), step.refused.end(), std::back_inserter(all.refused));
    if (step.is_finished) return true;
    if (step.embedded == 0 && step.refused.empty()) return false;
    const std::size_t done = already + all.embedded + all.refused.size();
    caller.progress({.unit = "drawers", .done = done, .total = std::max(total, done)});
  }
  return false;
}

}  // namespace

Result<Json> reembedding_to_json(Collection& drawers) {
  Reembedding* reembedding = drawers.reembedding();
  if (reembedding == nullptr) return Json(nullptr);
  const std::optional<ReembeddingState> state = TRY(reembedding->state());
  if (!state) return Json(nullptr);
  return Json{{"model", state->model}, {"done", state->done}, {"total", state->total}};
}

Result<Answer> reembed(Session& session, const ChosenPalace& palace, const std::string& embedder_name, Caller& caller) {
  const Embedder* embedder = TRY(session.embedder(palace.settings, embedder_name));
  if (embedder == nullptr) return Error{ErrorKind::invalid_argument, "none makes no vectors; name another embedder"};
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  Reembedding& reembedding = *TRY(reembedding_of(*drawers, palace));
  const std::string old_model = TRY(drawers->info()).model;
  EmbeddingStep all;
  bool is_finished = true;
  if (old_model == embedder->model_name()) {
    TRY(reembedding.abandon());  // of another model, if there is one
  } else {
    TRY(reembedding.start(*embedder));
    is_finished = TRY(run_steps(reembedding, *embedder, all, caller));
  }
  if (is_finished && palace.settings.embedder.value != embedder_name)
    TRY(write_palace_configuration(palace.settings.palace, {.embedder = embedder_name}));
  Json state = TRY(reembedding_to_json(*drawers));
  const std::size_t pending = TRY(drawers->info()).pending;
  return Answer{{{"embedded", all.embedded},
                 {"model", embedder->model_name()},
                 {"old_model", old_model.empty() ? Json(nullptr) : Json(old_model)},
                 {"finished", is_finished},
                 {"reembedding", std::move(state)},
                 {"pending", pending},
                 {"refused", refused_to_json(all.refused)}},
                all.refused.empty() ? Outcome::done : Outcome::needs_attention};
}

Result<Answer> abandon_reembedding(Session& session, const ChosenPalace& palace) {
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  Reembedding& reembedding = *TRY(reembedding_of(*drawers, palace));
  const std::optional<ReembeddingState> state = TRY(reembedding.state());
  TRY(reembedding.abandon());
  const std::string model = TRY(drawers->info()).model;
  return Answer{{{"abandoned", state ? Json(state->model) : Json(nullptr)}, {"model", model}}};
}

}  // namespace loci
