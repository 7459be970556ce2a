// embed: vectors for the drawers that wait for theirs, or for lines of text.
#include <algorithm>
#include <chrono>
#include <istream>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/embedding_worker.h"
#include "api/reembed.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "embed/make_embedder.h"

namespace loci {
namespace {

constexpr std::size_t kBatch = 64;  // what is lost when a worker dies, and how long others wait for the writer

// What others have in hand is waited for; what they leave behind when they die can be leased again.
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::minutes kPatienceWithOthers{1};

constexpr Field kEmbedFields[] = {
    {.name = "stdin",
     .type = FieldType::boolean,
     .help = "print {\"embedding\": […]} for each line of the standard input instead; needs no palace"},
    {.name = "model",
     .help = "make all vectors anew with this embedder; the old ones stay in use until the new ones are complete",
     .placeholder = "NAME"},
    {.name = "abandon", .type = FieldType::boolean, .help = "give up a --model that was interrupted"},
    {.name = "missing",
     .type = FieldType::boolean,
     .help = "also for those whose vector a migration found missing, or whose text an embedder refused; nothing else "
             "tries these again"},
    {.name = "worker",
     .type = FieldType::boolean,
     .help = "be the palace's one background worker: end at once when there is one"},
};
constexpr Example kEmbedExamples[] = {
    {"embed --embedder hash", "give every drawer its vector, so that it is found by meaning"},
    {"embed --model hash", "go over to another model, or on with it after an interruption"},
    {"embed --stdin --embedder hash < notes.md > vectors.jsonl", "the vectors of any texts, one a line"},
};

// Up to the first line that the embedder refuses, whose number is told. `before`: how many lines there were before
// these.
Status print_vectors(const Embedder& embedder, std::span<const std::string> lines, std::size_t before, Caller& caller) {
  const Result<std::vector<Embedding>> vectors = embedder.embed(lines);
  if (!vectors.ok() && vectors.error().kind == ErrorKind::invalid_argument) {
    if (lines.size() == 1)
      return Error{ErrorKind::invalid_argument, "line " + std::to_string(before + 1) + ": " + vectors.error().message};
    const std::size_t half = lines.size() / 2;
    TRY(print_vectors(embedder, lines.first(half), before, caller));
    return print_vectors(embedder, lines.subspan(half), before + half, caller);
  }
  if (!vectors.ok()) return vectors.error();
  for (const Embedding& vector : *vectors)
    TRY(caller.output(to_text(Json{{"embedding", vector}}, JsonLayout::one_line) + "\n"));
  return {};
}

Result<Answer> embed_lines(const Embedder& embedder, Caller& caller) {
  std::istream* input = caller.input();
  if (input == nullptr) return Error{ErrorKind::unsupported, "there is no standard input here"};
  std::vector<std::string> lines;
  std::size_t count = 0;
  for (std::string line; std::getline(*input, line);) {
    if (caller.is_cancelled()) return Error{ErrorKind::unavailable, "the work was interrupted"};
    lines.push_back(std::move(line));
    // Who writes a line and waits for its vector writes no other one before.
    const bool more_is_there = input->rdbuf()->in_avail() > 0;
    if (lines.size() < kBatch && more_is_there) continue;
    TRY(print_vectors(embedder, lines, count, caller));
    count += lines.size();
    lines.clear();
  }
  if (!lines.empty()) TRY(print_vectors(embedder, lines, count, caller));
  count += lines.size();
  return Answer{.body = {{"lines", count}, {"model", embedder.model_name()}}, .is_streamed = true};
}

// They ask for different work, so that one of them would be ignored.
Status check_switches(const Request& request) {
  std::string chosen = request.text("model") ? "--model" : "";
  for (const std::string name : {"stdin", "abandon", "missing", "worker"}) {
    if (!request.flag(name)) continue;
    if (!chosen.empty())
      return Error{ErrorKind::invalid_argument, "embed takes one of " + chosen + " and --" + name + ", not both"};
    chosen = "--" + name;
  }
  return {};
}

Result<Answer> run_embed(Session& session, const Request& request, Caller& caller) {
  TRY(check_switches(request));
  if (request.flag("stdin")) {
    const Settings settings = TRY(session.settings());
    return embed_lines(*TRY(embedder_in_force(session, settings)), caller);
  }
  const ChosenPalace palace = TRY(session.palace());
  if (request.flag("abandon")) return abandon_reembedding(session, palace);
  if (const std::optional<std::string> model = request.text("model")) return reembed(session, palace, *model, caller);
  if (request.flag("worker")) {
    const Embedder* embedder = TRY(embedder_in_force(session, palace.settings));
    const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::write_texts, IfMissing::fail));
    const std::size_t embedded = TRY(work_in_background(palace, *drawers));
    return Answer{{{"embedded", embedded}, {"model", embedder->model_name()}}};
  }
  if (request.flag("missing")) {
    TRY(embedder_in_force(session, palace.settings));  // without one they are better off as missing
    TRY(TRY(session.drawers(palace, Purpose::write_texts, IfMissing::fail))->queue_missing());
  }
  const EmbedQueueReport report = TRY(embed_waiting(session, palace, caller));
  return Answer{{{"embedded", report.embedded},
                 {"pending", report.pending},
                 {"model", report.model},
                 {"refused", refused_to_json(report.refused)}},
                report.refused.empty() ? Outcome::done : Outcome::needs_attention};
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

Result<EmbedQueueReport> embed_waiting(Session& session, const ChosenPalace& palace, Caller& caller) {
  const Embedder* embedder = TRY(embedder_in_force(session, palace.settings));
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::write_texts, IfMissing::fail));
  const std::size_t total = TRY(drawers->info()).pending;
  EmbedQueueReport report{.embedded = 0, .pending = 0, .model = embedder->model_name(), .refused = {}};
  std::size_t left = 0;
  auto last_change = std::chrono::steady_clock::now();
  while (!caller.is_cancelled()) {
    EmbeddingStep step = TRY(drawers->embed_pending(kBatch));
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
  // The vectors are stored; an index that could not be built only makes searches slower, and `doctor` shows it.
  for (bool is_done = false; !is_done && !caller.is_cancelled();) {
    const Result<std::size_t> indexed = drawers->index_pending();
    is_done = !indexed.ok() || *indexed == 0;
  }
  report.pending = TRY(drawers->info()).pending;
  return report;
}

constexpr Operation kEmbedOperation = {
    .name = "embed",
    .summary = "Give their vectors to the drawers that wait for them.",
    .fields = kEmbedFields,
    .examples = kEmbedExamples,
    .effect = Effect::writes,
    .run = run_embed,
};

}  // namespace loci
