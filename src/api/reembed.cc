#include "api/reembed.h"

#include <iterator>
#include <utility>

#include "api/configuration_file.h"
#include "api/embed_queue.h"
#include "loci/reembedding.h"

namespace loci {
namespace {

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
    ReembeddingStep step = TRY(reembedding.step(embedder, kEmbeddingBatch));
    all.embedded += step.embedded;
    std::move(step.refused.begin(), step.refused.end(), std::back_inserter(all.refused));
    if (step.is_finished) return true;
    if (step.embedded == 0 && step.refused.empty()) return false;
    const std::size_t done = already + all.embedded + all.refused.size();
    caller.progress({.unit = "drawers", .done = done, .total = std::max(total, done)});
  }
  return false;
}

// What is to be told of `done`. Once the vectors are exchanged, those that waited for one get theirs by the same model,
// and the index is made for the new ones.
Result<EmbedQueueReport> finish_queue(Session& session, const ChosenPalace& palace, const std::string& embedder_name,
                                      Collection& drawers, bool is_finished, const EmbeddingStep& done,
                                      Caller& caller) {
  EmbedQueueReport report;
  if (is_finished) {
    ChosenPalace with_embedder = palace;
    with_embedder.settings.embedder.value = embedder_name;
    report = TRY(embed_waiting(session, with_embedder, caller));
  } else {
    const CollectionInfo info = TRY(drawers.info());
    report.pending = info.pending;
    report.missing = info.missing;
  }
  report.embedded += done.embedded;
  report.refused.insert(report.refused.begin(), done.refused.begin(), done.refused.end());
  return report;
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
  const Status started = reembedding.start(*embedder);
  if (started.ok()) {
    is_finished = TRY(run_steps(reembedding, *embedder, all, caller));
  } else if (started.error().kind == ErrorKind::already_exists) {
    TRY(reembedding.abandon());  // of another model, if there is one
  } else {
    return started.error();
  }
  if (is_finished && palace.settings.embedder.value != embedder_name)
    TRY(write_palace_configuration(palace.settings.palace, {.embedder = embedder_name}));
  const EmbedQueueReport report = TRY(finish_queue(session, palace, embedder_name, *drawers, is_finished, all, caller));
  Json state = TRY(reembedding_to_json(*drawers));
  Json body = {{"model", embedder->model_name()},
               {"old_model", old_model.empty() ? Json(nullptr) : Json(old_model)},
               {"finished", is_finished},
               {"reembedding", std::move(state)}};
  add_to(body, report);
  return Answer{std::move(body), report.has_problem() ? Outcome::needs_attention : Outcome::done};
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
