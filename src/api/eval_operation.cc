// eval: how right the search is, on public data or on questions of one's own.
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/request.h"
#include "api/search_meaning.h"
#include "api/search_stage_field.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/file.h"
#include "embed/make_embedder.h"
#include "ops/eval_run.h"

namespace loci {
namespace {

constexpr std::string_view kSets[] = {"locomo", "longmemeval", "beir", "jsonl"};
constexpr std::string_view kRankingModes[] = {"words", "vectors", "hybrid"};
constexpr std::size_t kLargestPrefixBytes = 1'000'000;

constexpr Field kEvalFields[] = {
    {.name = "set",
     .help = "locomo, longmemeval: the published JSON file; beir: a folder with corpus.jsonl, queries.jsonl and qrels; "
             "jsonl: your own lines of {\"query\", \"relevant\": [ids]}, asked of your palace",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .choices = kSets,
     .placeholder = "locomo|longmemeval|beir|jsonl"},
    {.name = "data", .type = FieldType::path, .help = "the file or folder", .is_required = true, .placeholder = "PATH"},
    {.name = "qrels",
     .type = FieldType::path,
     .help = "beir: the judgements, where there are several",
     .placeholder = "FILE"},
    {.name = "one_store",
     .type = FieldType::boolean,
     .help = "locomo, longmemeval: all conversations in one palace instead of one each"},
    {.name = "mode", .help = "which side ranks", .default_value = "\"hybrid\"", .choices = kRankingModes},
    {.name = "rows",
     .type = FieldType::path,
     .help = "write what was found, a line for each question",
     .placeholder = "FILE"},
    kWithoutField,
    {.name = "prefix",
     .type = FieldType::path,
     .help = "a text to stand before each question, as a pasted prompt does",
     .placeholder = "FILE"},
    {.name = "store",
     .type = FieldType::path,
     .help = "keep the palaces in this folder, and go on with those that are there",
     .placeholder = "FOLDER"},
};
constexpr Example kEvalExamples[] = {
    {"eval beir --data beir --mode words", "a data set in the layout of BEIR, in a palace of its own"},
    {"eval jsonl --data questions.jsonl --mode words", "your own questions against your own palace"},
};

// A field that would be ignored is refused.
Status check_fields(const Request& request) {
  const std::string set = request.required_text("set");
  const auto refuse = [&](std::string_view field, std::string_view sets) -> Error {
    return {ErrorKind::invalid_argument,
            std::string(field) + " is for " + std::string(sets) + "; leave it out for " + set};
  };
  const bool has_conversations = set == "locomo" || set == "longmemeval";
  if (request.flag("one_store") && !has_conversations) return refuse("one_store", "locomo and longmemeval");
  if (request.text("qrels") && set != "beir") return refuse("qrels", "beir");
  if (request.text("store") && set == "jsonl") return refuse("store", "locomo, longmemeval and beir");
  return {};
}

Json metrics_json(const EvalMetrics& metrics, std::size_t depth) {
  Json json = Json::object();
  for (const auto& [name, value] : named(metrics, depth)) json[name] = value;
  return json;
}

Json summary_json(const EvalSummary& summary, std::size_t depth) {
  Json json = metrics_json(summary.mean, depth);
  json["questions"] = summary.questions;
  return json;
}

Json number_or_text(const std::string& text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number =
      end.ec == std::errc() && end.ptr == text.data() + text.size() && std::to_string(number) == text;
  return is_number ? Json(number) : Json(text);
}

Json row_json(const EvalRow& row, std::size_t depth, bool has_indexes) {
  Json json = {{"conversation", row.conversation},
               {"question", has_indexes ? number_or_text(row.question) : Json(row.question)},
               {"ranked", row.ranked},
               {"scores", row.scores},
               {"gold", row.gold},
               {"metrics", metrics_json(metrics_of(row), depth)}};
  if (!row.category.empty()) json["category"] = row.category;
  return json;
}

Status write_rows(const std::string& path, const EvalReport& report, bool has_indexes) {
  std::string lines;
  for (const EvalRow& row : report.rows)
    lines += to_text(row_json(row, report.depth, has_indexes), JsonLayout::one_line) + "\n";
  return write_file_atomically(path, lines, 0644);
}

Json report_json(const EvalReport& report) {
  const EvalSummary summary = summarize(report.rows);
  Json answer = summary_json(summary, report.depth);
  const auto low = named(summary.low, report.depth);
  const auto high = named(summary.high, report.depth);
  for (std::size_t i = 0; i < low.size(); ++i) answer["intervals"][low[i].first] = {low[i].second, high[i].second};
  answer["without_gold"] = summary.without_gold;
  answer["with_gold_only"] = metrics_json(summary.mean_with_gold, report.depth);
  answer["per_category"] = Json::object();
  for (const auto& [category, part] : summarize_by_category(report.rows))
    answer["per_category"][category] = summary_json(part, report.depth);
  answer["refused"] = Json::array();
  for (const RefusedQuestion& one : report.refused)
    answer["refused"].push_back(
        {{"conversation", one.conversation}, {"question", one.question}, {"reason", one.reason}});
  answer["drawers"] = report.drawers;
  answer["ingest_seconds"] = report.ingest_seconds;
  answer["search_seconds"] = report.search_seconds;
  return answer;
}

BenchProgress progress_to(Caller& caller) {
  return [&caller](std::string_view unit, std::uint64_t done, std::uint64_t total) -> Status {
    if (caller.is_cancelled()) return Error{ErrorKind::unavailable, "the evaluation was interrupted"};
    caller.progress({.unit = unit, .done = done, .total = total == 0 ? std::nullopt : std::optional(total)});
    return {};
  };
}

SearchMode mode_of(const std::string& name) {
  if (name == "words") return SearchMode::words;
  return name == "vectors" ? SearchMode::vectors : SearchMode::hybrid;
}

Result<EvalRequest> eval_request(const Request& request) {
  EvalRequest what{.mode = mode_of(request.required_text("mode"))};
  what.without = TRY(stages_left_out(request));
  if (const std::optional<std::string> prefix = request.text("prefix"))
    what.prefix = TRY(read_file(*prefix, kLargestPrefixBytes));
  if (const std::optional<std::string> store = request.text("store")) what.store_in = *store;
  return what;
}

Result<EvalSet> read_set(const Request& request) {
  const std::string name = request.required_text("set");
  const std::filesystem::path data = request.required_text("data");
  const EvalStores stores = request.flag("one_store") ? EvalStores::one_for_all : EvalStores::one_each;
  if (name == "locomo") return read_locomo(data, stores);
  if (name == "longmemeval") return read_longmemeval(data, stores);
  std::optional<std::filesystem::path> qrels;
  if (const std::optional<std::string> chosen = request.text("qrels")) qrels = *chosen;
  return read_beir(data, qrels);
}

// Questions of one's own, asked as search asks them. What search would degrade to is no measure of what was asked for.
Result<Json> evaluate_lines(Session& session, const Request& request, EvalRequest what, Caller& caller) {
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  const CollectionInfo info = TRY(drawers->info());
  const bool needs_vectors = what.mode != SearchMode::words;
  const Meaning meaning = needs_vectors ? meaning_for(session, palace.settings, info) : Meaning{};
  if (needs_vectors && meaning.embedder == nullptr) {
    return Error{ErrorKind::invalid_argument,
                 "nothing can be found by meaning: " + meaning.reason + "; mode words measures the words alone"};
  }
  what.today = today();
  const EvalReport report =
      TRY(run_eval_lines(*drawers, meaning.embedder, request.required_text("data"), what, progress_to(caller)));
  if (const std::optional<std::string> path = request.text("rows")) TRY(write_rows(*path, report, false));
  Json answer = report_json(report);
  if (needs_vectors) answer["degraded"] = degraded_parts(meaning, info, {});
  return answer;
}

Result<Json> evaluate_set(Session& session, const Request& request, const EvalRequest& what, Caller& caller) {
  const bool needs_vectors = what.mode != SearchMode::words;
  const Settings settings = TRY(session.settings());
  const Embedder* embedder = needs_vectors ? TRY(embedder_in_force(session, settings)) : nullptr;
  Backend* backend = TRY(session.registry().find(std::string(kDefaultBackend)));
  const EvalSet set = TRY(read_set(request));
  const EvalReport report = TRY(run_eval(*backend, embedder, set, what, progress_to(caller)));
  const std::string name = request.required_text("set");
  if (const std::optional<std::string> path = request.text("rows")) TRY(write_rows(*path, report, name == "locomo"));
  Json answer = report_json(report);
  // Publications count the questions that have an answer.
  if (name == "longmemeval") answer["answerable"] = summary_json(summarize_answerable(report.rows), report.depth);
  return answer;
}

Result<Answer> run_eval_operation(Session& session, const Request& request, Caller& caller) {
  static_cast<void>(caller.is_cancelled());  // from here on an interrupt waits until what was made is removed
  TRY(check_fields(request));
  const EvalRequest what = TRY(eval_request(request));
  const bool asks_palace = request.required_text("set") == "jsonl";
  Json answer =
      TRY(asks_palace ? evaluate_lines(session, request, what, caller) : evaluate_set(session, request, what, caller));
  answer["set"] = request.required_text("set");
  answer["data"] = request.required_text("data");
  answer["mode"] = request.required_text("mode");
  answer["without"] = request.texts("without");
  return Answer{std::move(answer)};
}

Effect effect_of_eval(const Request& request) {
  return request.text("rows") || request.text("store") ? Effect::writes : Effect::reads;
}

}  // namespace

constexpr Operation kEvalOperation = {
    .name = "eval",
    .summary = "Measure how right the search is, on public data sets or on your own questions.",
    .fields = kEvalFields,
    .examples = kEvalExamples,
    .effect = Effect::writes,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_eval,
    .reads_when = "without rows and store",
    .run = run_eval_operation,
};

}  // namespace loci
