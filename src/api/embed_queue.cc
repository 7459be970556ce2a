#include "api/embed_queue.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "embed/make_embedder.h"

namespace loci {
namespace {

// What others have in hand is waited for; what they leave behind when they die can be leased again.
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::minutes kPatienceWithOthers{1};

Result<EmbedQueueReport> embed_all_waiting(Session& session, const ChosenPalace& palace, Caller& caller) {
  EmbedQueueReport all;
  std::vector<ChosenPalace> queues = TRY(other_queues(session, palace));
  queues.insert(queues.begin(), palace);
  for (const ChosenPalace& queue : queues) {
    Result<EmbedQueueReport> report = embed_waiting(session, queue, caller);
    // All that was stored may be in the others.
    if (!report.ok() && report.error().kind == ErrorKind::collection_not_initialized) continue;
    TRY(report);
    all.embedded += report->embedded;
    all.pending += report->pending;
    all.missing += report->missing;
    std::move(report->refused.begin(), report->refused.end(), std::back_inserter(all.refused));
    if (all.index_problem.empty()) all.index_problem = report->index_problem;
  }
  return all;
}

}  // namespace

Result<const Embedder*> embedder_in_force(Session& session, const Settings& settings) {
  const Embedder* embedder = TRY(session.embedder(settings));
  if (embedder != nullptr) return embedder;
  std::string names;
  for (const EmbedderEntry& entry : embedders()) {
    if (entry.name != kNoEmbedder) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{ErrorKind::invalid_argument, why_no_embedder(settings) + "; choose one with --embedder: " + names};
}

Json refused_to_json(const std::vector<RefusedText>& refused) {
  Json list = Json::array();
  for (const RefusedText& text : refused) list.push_back({{"id", text.id}, {"reason", text.reason}});
  return list;
}

Status build_index(Collection& drawers, Caller& caller) {
  while (!caller.is_cancelled()) {
    if (TRY(drawers.index_pending()) == 0) break;
  }
  return ok_status();
}

Result<EmbedQueueReport> embed_waiting(Session& session, const ChosenPalace& palace, Caller& caller) {
  const Embedder* embedder = TRY(embedder_in_force(session, palace.settings));
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::write_texts, IfMissing::fail));
  const std::size_t total = TRY(drawers->info()).pending;
  EmbedQueueReport report{.model = embedder->model_name()};
  std::size_t left = 0;
  auto last_change = std::chrono::steady_clock::now();
  while (!caller.is_cancelled()) {
    EmbeddingStep step = TRY(drawers->embed_pending(kEmbeddingBatch));
    if (step.is_empty()) {
      const auto now = std::chrono::steady_clock::now();
      const std::size_t pending = TRY(drawers->info()).pending;
      if (std::exchange(left, pending) != pending) last_change = now;
      if (pending == 0 || now - last_change > kPatienceWithOthers) break;
      std::this_thread::sleep_for(kLookAgain);
      continue;
    }
    report.embedded += step.embedded;
    std::move(step.refused.begin(), step.refused.end(), std::back_inserter(report.refused));
    caller.progress({.unit = "drawers", .done = report.embedded, .total = std::max(total, report.embedded)});
  }
  // The vectors are stored; without the index searches are only slower.
  if (const Status indexed = build_index(*drawers, caller); !indexed.ok())
    report.index_problem = indexed.error().message;
  const CollectionInfo info = TRY(drawers->info());
  report.pending = info.pending;
  report.missing = info.missing;
  return report;
}

void add_to(Json& body, const EmbedQueueReport& report) {
  body["embedded"] = report.embedded;
  body["pending"] = report.pending;
  body["missing"] = report.missing;
  body["refused"] = refused_to_json(report.refused);
  body["index_problem"] = report.index_problem.empty() ? Json(nullptr) : Json(report.index_problem);
}

Result<std::vector<ChosenPalace>> other_queues(Session& session, const ChosenPalace& palace) {
  const std::string model = TRY(embedder_in_force(session, palace.settings))->model_name();
  std::vector<ChosenPalace> queues;
  for (const CollectionInfo& info : TRY(palace.backend->collections(palace.ref, Access::read_only))) {
    const bool is_ours = info.model == model || (info.model.empty() && !info.dimension);
    if (!is_ours || info.pending == 0 || info.name == palace.settings.collection.value) continue;
    queues.push_back(palace);
    queues.back().settings.collection.value = info.name;
  }
  return queues;
}

void embed_now(Session& session, const ChosenPalace& palace, Caller& caller, Answer& answer) {
  if (palace.settings.embed != EmbedWhen::now || palace.settings.embedder.value == kNoEmbedder) return;
  const Result<EmbedQueueReport> report = embed_all_waiting(session, palace, caller);
  Json& told = answer.body["embedding"] = Json::object();
  if (report.ok()) {
    add_to(told, *report);
  } else {
    told["error"] = report.error().message;
  }
  if (!report.ok() || report->has_problem()) answer.outcome = Outcome::needs_attention;
}

}  // namespace loci
