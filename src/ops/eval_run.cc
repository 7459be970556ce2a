#include "ops/eval_run.h"

#include <fstream>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "ingest/drawer_keys.h"
#include "ingest/export_json.h"
#include "ingest/mine.h"
#include "ops/eval_json.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEmbedBatch = 256;
constexpr std::size_t kLinesDepth = 100;
constexpr std::string_view kCollection = "drawers";
constexpr std::string_view kWing = "eval";
constexpr std::uint64_t kLargestMinedBytes = std::uint64_t{64} << 20;

std::string source_of(const Record& record) {
  const auto found = record.metadata.find(kSourceKey);
  const auto* text = found == record.metadata.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

// Files that are there with the same bytes stay as they are, so that mining finds nothing to do.
Status stage(const EvalStore& store, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return io_error("cannot create", folder, error.value());
  for (const EvalStore::File& file : store.files) {
    const fs::path path = folder / file.name;
    const Result<std::string> there = read_file(path, kLargestMinedBytes);
    if (there.ok() && *there == file.bytes) continue;
    std::ofstream output(path, std::ios::binary | std::ios::trunc);
    output << file.bytes;
    if (!output.flush()) return Error{ErrorKind::io, "cannot write " + path.string()};
  }
  return {};
}

Status embed_all(Collection& drawers, const BenchProgress& progress) {
  const std::size_t total = TRY(drawers.info()).pending;
  std::size_t done = 0;
  while (true) {
    const EmbeddingStep step = TRY(drawers.embed_pending(kEmbedBatch));
    if (step.is_empty()) break;
    done += step.embedded;
    TRY(progress("drawers embedded", done, total));
  }
  while (TRY(drawers.index_pending()) > 0) {
  }
  return {};
}

struct Asked {
  const Collection& drawers;
  const Embedder* embedder;
  const EvalRequest& request;
  EvalReport& report;
};

SearchRequest search_for(const EvalRequest& request, const std::string& question, std::size_t limit, SearchUnit unit) {
  SearchRequest search{.query = request.prefix + question, .limit = limit};
  search.mode = request.mode;
  search.unit = unit;
  search.without = request.without;
  search.today = request.today;
  return search;
}

// Nothing for a question that cannot be asked: it is noted, and the others go on.
Result<std::vector<SearchHit>> hits_of(const Asked& asked, const EvalRow& row, const SearchRequest& search) {
  Result<SearchAnswer> answer = hybrid_search(asked.drawers, asked.embedder, search);
  if (!answer.ok() && answer.error().kind == ErrorKind::invalid_argument) {
    asked.report.refused.push_back(
        {.conversation = row.conversation, .question = row.question, .reason = answer.error().message});
    return std::vector<SearchHit>();
  }
  if (!answer.ok()) return answer.error();
  if (answer->embedder_error) return *answer->embedder_error;
  return std::move(answer->hits);
}

Result<std::shared_ptr<Collection>> fill(Backend& backend, const Embedder* embedder, const EvalSet& set,
                                         const EvalStore& store, const fs::path& folder,
                                         const BenchProgress& progress) {
  const fs::path files = folder / "files";
  TRY(stage(store, files));
  const std::shared_ptr<Collection> drawers =
      TRY(backend.collection(PalaceRef::at(folder / "palace"), kCollection,
                             {.if_missing = IfMissing::create, .embedder = embedder, .embed_text = EmbedText::later}));
  const MineObserver observer = {.progress = [](const MineProgress&) {}, .is_cancelled = [] { return false; }};
  const MineReport report = TRY(mine(drawers.get(),
                                     {.path = files,
                                      .settings = {.wing = std::string(kWing), .mode = set.mode},
                                      .include = {"*"},
                                      .max_file_bytes = kLargestMinedBytes},
                                     observer));
  if (report.files != store.files.size()) {
    return Error{ErrorKind::invalid_argument, std::to_string(store.files.size() - report.files) + " of " +
                                                  std::to_string(store.files.size()) +
                                                  " files made of the set were passed over: there is no text in them"};
  }
  if (embedder != nullptr) TRY(embed_all(*drawers, progress));
  return drawers;
}

// Asks one question and fills in what was found.
Status ask(const Asked& asked, const EvalStore& store, const fs::path& files, const EvalQuestion& question,
           std::size_t depth, EvalRow& row) {
  row = question.row;
  const std::vector<SearchHit> hits =
      TRY(hits_of(asked, row, search_for(asked.request, question.text, depth, SearchUnit::sources)));
  const std::string below = files.string() + "/";
  std::unordered_set<std::string> seen;
  for (const SearchHit& hit : hits) {
    const std::string source = source_of(hit.record);
    const auto item = store.items.find(source.starts_with(below) ? source.substr(below.size()) : source);
    if (item == store.items.end() || !seen.insert(item->second).second) continue;
    row.ranked.push_back(item->second);
    row.scores.push_back(hit.score);
  }
  return {};
}

}  // namespace

Result<EvalReport> run_eval(Backend& backend, const Embedder* embedder, const EvalSet& set, const EvalRequest& request,
                            const BenchProgress& progress) {
  std::optional<TemporaryFolder> temporary;
  if (!request.store_in) temporary = TRY(TemporaryFolder::create());
  std::error_code error;
  if (request.store_in) fs::create_directories(*request.store_in, error);
  if (error) return io_error("cannot create", *request.store_in, error.value());
  // Sources are named by resolved paths.
  const fs::path root = fs::canonical(request.store_in ? *request.store_in : temporary->path(), error);
  if (error) return io_error("cannot find", root, error.value());
  EvalReport report{.depth = set.depth};
  report.rows.resize(set.questions.size());
  std::size_t asked_so_far = 0;
  for (std::size_t i = 0; i < set.stores.size(); ++i) {
    const fs::path folder = root / std::to_string(i + 1);
    const Stopwatch ingest;
    const std::shared_ptr<Collection> drawers = TRY(fill(backend, embedder, set, set.stores[i], folder, progress));
    report.drawers += TRY(drawers->count());
    report.ingest_seconds += ingest.seconds();
    const Stopwatch search;
    for (std::size_t q = 0; q < set.questions.size(); ++q) {
      if (set.questions[q].store != i) continue;
      const Asked asked{*drawers, request.mode == SearchMode::words ? nullptr : embedder, request, report};
      TRY(ask(asked, set.stores[i], folder / "files", set.questions[q], set.depth, report.rows[q]));
      TRY(progress("questions", ++asked_so_far, set.questions.size()));
    }
    report.search_seconds += search.seconds();
  }
  return report;
}

Result<EvalReport> run_eval_lines(const Collection& drawers, const Embedder* embedder, const fs::path& file,
                                  const EvalRequest& request, const BenchProgress& progress) {
  std::ifstream input(file);
  if (!input) return Error{ErrorKind::not_found, "cannot read " + file.string()};
  EvalReport report{.depth = kLinesDepth};
  report.drawers = TRY(drawers.count());
  const Asked asked{drawers, embedder, request, report};
  const Stopwatch watch;
  for (std::string line; std::getline(input, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::size_t number = report.rows.size();
    const nlohmann::json object = parse_export(line);
    const std::string query = text_in(object, "query");
    const nlohmann::json& relevant = value_in(object, "relevant");
    if (query.empty() || !relevant.is_array()) {
      return Error{ErrorKind::invalid_argument, file.string() + ": question " + std::to_string(number + 1) +
                                                    R"( is not {"query": …, "relevant": […]})"};
    }
    EvalRow& row = report.rows.emplace_back(
        EvalRow{.conversation = "", .question = std::to_string(number), .category = text_in(object, "category")});
    for (const nlohmann::json& id : relevant) row.gold.push_back(id_of(id));
    const std::unordered_set<std::string> gold(row.gold.begin(), row.gold.end());
    const std::vector<SearchHit> hits =
        TRY(hits_of(asked, row, search_for(request, query, kLinesDepth, SearchUnit::drawers)));
    std::unordered_set<std::string> seen;
    for (const SearchHit& hit : hits) {
      // A drawer stands for its source where the line names the source.
      const std::string source = source_of(hit.record);
      const std::string& item = gold.contains(source) ? source : hit.record.id;
      if (!seen.insert(item).second) continue;
      row.ranked.push_back(item);
      row.scores.push_back(hit.score);
    }
    TRY(progress("questions", report.rows.size(), 0));
  }
  if (report.rows.empty()) return Error{ErrorKind::invalid_argument, file.string() + " has no questions"};
  report.search_seconds = watch.seconds();
  return report;
}

}  // namespace loci
