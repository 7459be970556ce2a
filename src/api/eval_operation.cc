// eval: how right the search is, on public data or on questions of one's own.
#include <charconv>
#include <string>
#include <utility>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/request.h"
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

Json metrics_json(const EvalMetrics& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : named(metrics)) json[name] = value;
  return json;
}

Json summary_json(const EvalSummary& summary) {
  Json json = metrics_json(summary.mean);
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

Json row_json(const EvalRow& row, bool has_indexes) {
  Json json = {{"conversation", row.conversation},
               {"question", has_indexes ? number_or_text(row.question) : Json(row.question)},
               {"ranked", row.ranked},
               {"scores", row.scores},
               {"gold", row.gold},
               {"metrics", metrics_json(metrics_of(row))}};
  if (!row.category.empty()) json["category"] = row.category;
  return json;
}

Status write_rows(const std::string& path, const std::vector<EvalRow>& rows, bool has_indexes) {
  std::string lines;
  for (const EvalRow& row : rows) lines += to_text(row_json(row, has_indexes), JsonLayout::one_line) + "\n";
  return write_file_atomically(path, lines, 0644);
}

Json report_json(const EvalReport& report) {
  const EvalSummary summary = summarize(report.rows);
  Json answer = summary_json(summary);
  const auto low = named(summary.low);
  const auto high = named(summary.high);
  for (std::size_t i = 0; i < low.size(); ++i) answer["intervals"][low[i].first] = {low[i].second, high[i].second};
  answer["without_gold"] = summary.without_gold;
  answer["with_gold_only"] = metrics_json(summary.mean_with_gold);
  answer["per_category"] = Json::object();
  for (const auto& [category, part] : summarize_by_category(report.rows))
    answer["per_category"][category] = summary_json(part);
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

Result<EvalReport> evaluate(Session& session, const Request& request, const EvalRequest& what, Caller& caller) {
  const bool needs_vectors = what.mode != SearchMode::words;
  if (request.required_text("set") == "jsonl") {
    const ChosenPalace palace = TRY(session.palace());
    const Embedder* embedder = needs_vectors ? TRY(embedder_in_force(session, palace.settings)) : nullptr;
    const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
    return run_eval_lines(*drawers, embedder, request.required_text("data"), what, progress_to(caller));
  }
  const Settings settings = TRY(session.settings());
  const Embedder* embedder = needs_vectors ? TRY(embedder_in_force(session, settings)) : nullptr;
  Backend* backend = TRY(session.registry().find(std::string(kDefaultBackend)));
  const EvalSet set = TRY(read_set(request));
  return run_eval(*backend, embedder, set, what, progress_to(caller));
}

Result<Answer> run_eval_operation(Session& session, const Request& request, Caller& caller) {
  static_cast<void>(caller.is_cancelled());  // from here on an interrupt waits until what was made is removed
  const EvalRequest what = TRY(eval_request(request));
  const EvalReport report = TRY(evaluate(session, request, what, caller));
  if (const std::optional<std::string> path = request.text("rows"))
    TRY(write_rows(*path, report.rows, request.required_text("set") == "locomo"));
  Json answer = report_json(report);
  answer["set"] = request.required_text("set");
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
