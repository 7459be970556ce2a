#include "ops/bench_backend.h"

#include <algorithm>
#include <random>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "ops/bench_store.h"
#include "ops/made_vectors.h"

namespace loci {
namespace {

constexpr std::size_t kLoadBatch = 1'000;
constexpr std::size_t kQueries = 20;
constexpr std::size_t kCallsOfPhase = 200;  // for each figure of each phase
constexpr std::size_t kVocabulary = 5'000;
constexpr int kWordsPerText = 120;

// Words of which few are frequent and many are rare, as in real text.
std::string word(std::mt19937_64& random) {
  const auto rare = static_cast<double>(random() >> 11) * 0x1p-53;
  return "word" + std::to_string(static_cast<std::size_t>(rare * rare * rare * kVocabulary));
}

class Bench {
 public:
  Bench(Backend& backend, const BackendBenchRequest& request, const BenchProgress& progress, PalaceRef palace)
      : backend_(backend), request_(request), progress_(progress), palace_(std::move(palace)) {}

  Result<BackendBenchReport> run() {
    BackendBenchReport report;
    collection_ = TRY(backend_.create_collection(palace_, kBenchCollection, {}));
    report.load_seconds = TRY(load());
    make_questions();
    report.phases.push_back(TRY(measure("loaded")));
    report.settle_seconds = TRY(build_index(*collection_, progress_));
    report.phases.push_back(TRY(measure("settled")));
    for (const std::string& kind : backend_.info().maintenance_kinds) {
      MaintenanceReport done = TRY(backend_.run_maintenance(palace_, kind));
      report.phases.push_back(TRY(measure(kind)));
      report.phases.back().maintenance = std::move(done);
    }
    return report;
  }

  // What lies in no folder of ours.
  void remove() {
    collection_.reset();
    static_cast<void>(backend_.delete_collection(palace_, kBenchCollection));  // the figures are there all the same
    backend_.close_palace(palace_);
  }

 private:
  Result<double> load() {
    VectorMaker vectors({.dimension = request_.dimension});
    std::mt19937_64 random(1);
    const std::size_t batch = std::min(kLoadBatch, backend_.info().max_batch.value_or(kLoadBatch));
    double seconds = 0;
    for (std::size_t done = 0; done < request_.records;) {
      std::vector<Record> records;
      for (; records.size() < batch && done < request_.records; ++done) {
        Record& record = records.emplace_back();
        record.id = id_of_row(done);
        for (int i = 0; i < kWordsPerText; ++i) record.document += (i == 0 ? "" : " ") + word(random);
        record.metadata["group"] = static_cast<std::int64_t>(done % 10);
        record.embedding = vectors.next();
      }
      const Stopwatch watch;
      TRY(collection_->upsert(records));
      seconds += watch.seconds();
      TRY(progress_("records", done, request_.records));
    }
    return seconds;
  }

  void make_questions() {
    VectorMaker vectors({.dimension = request_.dimension, .stream = 1});
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < kQueries; ++i) {
      vectors_.push_back(vectors.next());
      texts_.push_back(word(random) + " " + word(random));
      ids_.push_back(id_of_row(random() % request_.records));
    }
  }

  Result<BackendBenchPhase> measure(std::string name) {
    BackendBenchPhase phase{.name = std::move(name), .query = {}, .filtered = {}, .get = {}};
    const Include lean{.documents = false, .metadatas = false};
    const Filter tenth = Filter::of({.key = "group", .op = FilterOperator::eq, .operands = {std::int64_t{3}}});
    const auto query = [&](std::size_t i, const Filter& where) -> Status {
      TRY(collection_->query({.embeddings = {vectors_[i]}, .where = where, .include = lean}));
      return {};
    };
    phase.query = TRY(time_calls(kQueries, kCallsOfPhase, progress_, [&](std::size_t i) { return query(i, {}); }));
    phase.filtered =
        TRY(time_calls(kQueries, kCallsOfPhase, progress_, [&](std::size_t i) { return query(i, tenth); }));
    phase.get = TRY(time_calls(kQueries, kCallsOfPhase, progress_, [&](std::size_t i) -> Status {
      TRY(collection_->get({.selection = {.ids = {{ids_[i]}}}}));
      return {};
    }));
    if (backend_.info().has(capability::kLexicalSearch)) {
      phase.match = TRY(time_calls(kQueries, kCallsOfPhase, progress_, [&](std::size_t i) -> Status {
        TRY(collection_->match({.text = texts_[i], .include = lean}));
        return {};
      }));
    }
    phase.state = TRY(backend_.maintenance_state(palace_, Access::read_write));
    return phase;
  }

  Backend& backend_;
  const BackendBenchRequest& request_;
  const BenchProgress& progress_;
  const PalaceRef palace_;
  std::shared_ptr<Collection> collection_;
  std::vector<Embedding> vectors_;
  std::vector<std::string> texts_;
  std::vector<std::string> ids_;
};

}  // namespace

Result<BackendBenchReport> bench_backend(Backend& backend, const BackendBenchRequest& request,
                                         const BenchProgress& progress) {
  const TemporaryFolder folder =
      TRY(request.folder.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(request.folder));
  PalaceRef palace = PalaceRef::at(folder.path() / "palace");
  if (backend.info().has(capability::kNamespaceIsolation)) palace.palace_namespace = "loci-bench-" + random_hex(8);
  Bench bench(backend, request, progress, std::move(palace));
  Result<BackendBenchReport> report = bench.run();
  bench.remove();
  return report;
}

}  // namespace loci
