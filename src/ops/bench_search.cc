#include "ops/bench_search.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/temporary_folder.h"
#include "ops/bench_store.h"
#include "ops/made_texts.h"
#include "ops/made_vectors.h"
#include "search/timed_search.h"

namespace loci {
namespace {

constexpr std::size_t kTextsAtOnce = 1'000;
constexpr std::size_t kQuestions = 50;
constexpr std::size_t kSearches = 300;
constexpr int kNewSearchProcesses = 9;

Status load(Collection& drawers, const SearchBenchRequest& request, const BenchProgress& progress, double& seconds) {
  TextMaker texts(1);
  VectorMaker vectors({.dimension = request.dimension});
  for (std::size_t done = 0; done < request.records;) {
    std::vector<Record> records;
    for (; records.size() < kTextsAtOnce && done < request.records; ++done) {
      Record& record = records.emplace_back();
      record.id = id_of_row(done);
      record.document = texts.text();
      record.metadata["wing"] = "wing" + std::to_string(done % 8);
      record.metadata["room"] = "room" + std::to_string(done % 10);
      record.embedding = vectors.next();
    }
    const Stopwatch watch;
    TRY(drawers.upsert(records));
    seconds += watch.seconds();
    TRY(progress("records", done, request.records));
  }
  return {};
}

std::vector<std::string> made_questions() {
  TextMaker texts(2);
  std::vector<std::string> questions;
  for (std::size_t i = 0; i < kQuestions; ++i) questions.push_back(texts.question());
  return questions;
}

// The times of many searches, stage by stage.
struct Samples {
  std::vector<double> total;
  std::vector<double> without_embedding;
  std::vector<double> embed;
  std::vector<double> words;
  std::vector<double> vectors;
  std::vector<double> fetch;
  std::vector<double> rest;

  void add(const SearchTimes& times) {
    constexpr double kSecondsPerMs = 1e-3;
    const auto put = [](std::vector<double>& list, double ms) { list.push_back(ms * kSecondsPerMs); };
    put(total, times.total_ms);
    put(without_embedding, times.total_ms - times.embed_ms);
    put(embed, times.embed_ms);
    put(words, times.words_ms);
    put(vectors, times.vectors_ms);
    put(fetch, times.fetch_ms);
    put(rest, times.rest_ms);
  }

  void report(SearchBenchReport& report) {
    report.calls = total.size();
    report.total = latency_of(std::move(total));
    report.without_embedding = latency_of(std::move(without_embedding));
    report.embed = latency_of(std::move(embed));
    report.words = latency_of(std::move(words));
    report.vectors = latency_of(std::move(vectors));
    report.fetch = latency_of(std::move(fetch));
    report.rest = latency_of(std::move(rest));
  }
};

// A first round fills caches; later ones are timed.
Status ask(const Collection& drawers, const SearchBenchRequest& request, const std::vector<std::string>& questions,
           const BenchProgress& progress, SearchBenchReport& report) {
  Samples samples;
  const auto search = [&](std::size_t i) { return timed_search(drawers, request.embedder, {.query = questions[i]}); };
  for (std::size_t i = 0; i < questions.size(); ++i) TRY(search(i));
  TRY(time_calls(questions.size(), kSearches, progress, [&](std::size_t i) -> Status {
    samples.add(TRY(search(i)).times);
    return {};
  }));
  samples.report(report);
  return {};
}

Status ask_in_new_processes(const SearchBenchRequest& request, const PalaceRef& palace,
                            const std::vector<std::string>& questions, SearchBenchReport& report) {
  if (!request.run_process) return {};
  std::vector<double> seconds;
  for (int i = 0; i < kNewSearchProcesses; ++i)
    seconds.push_back(TRY(request.run_process(*palace.local_path, questions[static_cast<std::size_t>(i)])));
  report.new_process_ms = latency_of(std::move(seconds)).p50_us / 1000;
  return {};
}

}  // namespace

Result<SearchBenchReport> bench_search(Backend& backend, const SearchBenchRequest& request,
                                       const BenchProgress& progress) {
  const TemporaryFolder folder =
      TRY(request.folder.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(request.folder));
  const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
  const std::vector<std::string> questions = made_questions();
  SearchBenchReport report;
  {
    const auto drawers = TRY(backend.collection(palace, kBenchCollection, {.if_missing = IfMissing::create}));
    TRY(load(*drawers, request, progress, report.load_seconds));
    report.index_seconds = TRY(build_index(*drawers, progress));
    TRY(ask(*drawers, request, questions, progress, report));
  }
  TRY(ask_in_new_processes(request, palace, questions, report));
  backend.close_palace(palace);
  return report;
}

}  // namespace loci
