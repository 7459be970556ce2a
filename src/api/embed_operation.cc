// embed: vectors for the drawers that wait for theirs, or for lines of text.
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/embedding_worker.h"
#include "api/reembed.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"

namespace loci {
namespace {

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
    if (lines.size() < kEmbeddingBatch && more_is_there) continue;
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

// One that cannot be opened does not keep the others from their vectors.
Result<std::vector<std::shared_ptr<Collection>>> open_queues(Session& session, const ChosenPalace& palace) {
  std::vector<std::shared_ptr<Collection>> queues = {
      TRY(session.drawers(palace, Purpose::write_texts, IfMissing::fail))};
  for (const ChosenPalace& other : TRY(other_queues(session, palace))) {
    Result<std::shared_ptr<Collection>> drawers = session.drawers(other, Purpose::write_texts, IfMissing::fail);
    if (drawers.ok()) queues.push_back(*std::move(drawers));
  }
  return queues;
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
    const auto queues = [&] { return open_queues(session, palace); };
    const std::size_t embedded = TRY(work_in_background(palace.settings.palace, queues));
    return Answer{{{"embedded", embedded}, {"model", embedder->model_name()}}};
  }
  if (request.flag("missing")) {
    TRY(embedder_in_force(session, palace.settings));  // without one they are better off as missing
    TRY(TRY(session.drawers(palace, Purpose::write_texts, IfMissing::fail))->queue_missing());
  }
  const EmbedQueueReport report = TRY(embed_waiting(session, palace, caller));
  Json body = {{"model", report.model}};
  add_to(body, report);
  return Answer{std::move(body), report.has_problem() ? Outcome::needs_attention : Outcome::done};
}

}  // namespace

constexpr Operation kEmbedOperation = {
    .name = "embed",
    .summary = "Give their vectors to the drawers that wait for them.",
    .fields = kEmbedFields,
    .examples = kEmbedExamples,
    .effect = Effect::writes,
    .run = run_embed,
};

}  // namespace loci
