// Question: how many records a second can be stored durably, in batches of 1,000?
// Data: documents of 800 characters with three metadata values and a vector of 384 float32 (corpus.h).
// Rivals, fed with the same records in the same batches, in the same run:
//   sqlite  one table and one FTS5 index, WAL, synchronous=FULL: what the disk and SQLite allow (goal: at least half)
//   chroma  a Chroma server over HTTP, when --chroma gives its address (goal: at least ten times)
// Only the calls that store are timed; making records and request bodies is not.
//
// upsert_bench [--records 20000] [--batch 1000] [--runs 3] [--folder DIR] [--chroma URL] [--commit HASH]
// JSON lines go to the standard output, the table to the standard error.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "bench/peers/chroma_client.h"
#include "bench/peers/plain_sqlite.h"
#include "bench/workloads/corpus.h"
#include "bench/workloads/measure.h"
#include "loci/backend.h"
#include "store/embedded/embedded_backend.h"

namespace loci::bench {
namespace {

struct Settings {
  std::size_t records;
  std::size_t batch;
  int runs;
  std::string chroma_url;
  std::string commit;
};

// Seconds that the store took for one batch.
using StoreBatch = std::function<Result<double>(std::span<const Record>)>;
using Count = std::function<Result<std::size_t>()>;

// Seconds for all batches. The records are there afterwards, or it is an error.
Result<double> feed(const Settings& settings, const StoreBatch& store, const Count& count) {
  Corpus corpus({});
  double seconds = 0;
  for (std::size_t done = 0; done < settings.records; done += settings.batch) {
    seconds += TRY(store(corpus.next(settings.batch)));
  }
  const std::size_t stored = TRY(count());
  if (stored < settings.records)
    return Error{ErrorKind::internal, "only " + std::to_string(stored) + " records are there"};
  return seconds;
}

template <typename Call>
Result<double> timed(const Call& call) {
  const Stopwatch stopwatch;
  TRY(call());
  return stopwatch.seconds();
}

Result<double> run_loci(const Settings& settings, const std::filesystem::path& folder) {
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> collection =
      TRY(backend->collection(PalaceRef::at(folder / "palace"), "drawers", {.if_missing = IfMissing::create}));
  return feed(
      settings, [&](std::span<const Record> records) { return timed([&] { return collection->upsert(records); }); },
      [&] { return collection->count(); });
}

Result<double> run_sqlite(const Settings& settings, const std::filesystem::path& folder) {
  const std::unique_ptr<PlainSqlite> database = TRY(PlainSqlite::open(folder / "plain.db"));
  return feed(
      settings, [&](std::span<const Record> records) { return timed([&] { return database->insert(records); }); },
      [&] { return database->count(); });
}

Result<double> run_chroma(const Settings& settings, int run) {
  const std::unique_ptr<ChromaClient> client =
      TRY(ChromaClient::connect(settings.chroma_url, "drawers-" + std::to_string(run)));
  const StoreBatch store = [&](std::span<const Record> records) {
    const std::string body = chroma_upsert_body(records);
    return timed([&] { return client->upsert(body); });
  };
  return feed(settings, store, [&] { return client->count(); });
}

class Results {
 public:
  explicit Results(const Settings& settings) : settings_(settings) {}

  Status add(const std::string& system, int run, const Result<double>& seconds) {
    if (!seconds.ok()) return Error{seconds.error().kind, system + ": " + seconds.error().message};
    const double rate = static_cast<double>(settings_.records) / *seconds;
    rates_[system].push_back(rate);
    const std::string line = result_line("upsert",
                                         {{"system", system},
                                          {"run", std::int64_t{run}},
                                          {"records", static_cast<std::int64_t>(settings_.records)},
                                          {"batch", static_cast<std::int64_t>(settings_.batch)},
                                          {"seconds", *seconds},
                                          {"records_per_second", rate}},
                                         settings_.commit);
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
    return ok_status();
  }

  void print() const {
    const double loci = median(rates_.at("loci"));
    std::fprintf(stderr, "durable upsert, batches of %zu, records/s (median of %d)\n", settings_.batch, settings_.runs);
    for (const auto& [system, rates] : rates_) {
      const double rate = median(rates);
      std::fprintf(stderr, "  %-8s %10.0f   loci does %.2f times as many\n", system.c_str(), rate, loci / rate);
    }
  }

 private:
  const Settings& settings_;
  std::map<std::string, std::vector<double>> rates_;
};

Status run_all(const Settings& settings, const std::string& folder) {
  Results results(settings);
  for (int run = 1; run <= settings.runs; ++run) {
    const TemporaryFolder here = TRY(folder.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(folder));
    TRY(results.add("loci", run, run_loci(settings, here.path())));
    TRY(results.add("sqlite", run, run_sqlite(settings, here.path())));
    if (settings.chroma_url.empty()) continue;
    TRY(results.add("chroma", run, run_chroma(settings, run)));
  }
  results.print();
  return ok_status();
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  const loci::bench::Settings settings{.records = std::strtoull(value("records", "20000").c_str(), nullptr, 10),
                                       .batch = std::strtoull(value("batch", "1000").c_str(), nullptr, 10),
                                       .runs = std::atoi(value("runs", "3").c_str()),
                                       .chroma_url = value("chroma", ""),
                                       .commit = value("commit", "unknown")};
  if (settings.records == 0 || settings.batch == 0 || settings.runs < 1) {
    std::fputs("upsert_bench: --records, --batch and --runs must be at least 1\n", stderr);
    return 2;
  }
  const loci::Status status = loci::bench::run_all(settings, value("folder", ""));
  if (!status.ok()) std::fprintf(stderr, "upsert_bench: %s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
