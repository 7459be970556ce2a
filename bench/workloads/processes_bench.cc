// Question: how long does a writer wait, and a reader, when many processes use one palace at once; and how soon does
// one process see what another one wrote? Data: documents of 800 characters with a vector of 384 float32, one record a
// write (corpus.h). Each process writes a record durably, then reads the newest record that another process has
// acknowledged, and so on. Rival, the same writes in the same run:
//   sqlite  one table and one FTS5 index, WAL, synchronous=FULL, SQLite's own busy timeout of 60 s
// Goals: p99.9 of a write at most 300 ms, the longest at most a fifth of the rival's, seen within 50 ms, no error. The
// table says of each whether it is kept. Errors, and acknowledged writes that another process does not see, make the
// exit code 1; the others depend on the machine and on what else it does.
//
// processes_bench [--processes 8,16] [--seconds 20] [--folder DIR] [--commit HASH]
// JSON lines go to the standard output, the table to the standard error.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary_folder.h"
#include "bench/peers/plain_sqlite.h"
#include "bench/workloads/corpus.h"
#include "bench/workloads/measure.h"
#include "loci/backend.h"
#include "store/embedded/embedded_backend.h"

namespace loci::bench {
namespace {

constexpr int kMostProcesses = 64;
constexpr std::size_t kMostSamples = 200'000;

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What one process has to say; in memory that all of them share.
struct Report {
  std::atomic<std::int64_t> newest{-1};  // the last record that was acknowledged
  std::atomic<std::int64_t> acknowledged_at_us{0};
  std::int64_t errors = 0;
  std::int64_t unseen = 0;  // reads that did not find what had been acknowledged before they began
  std::int64_t longest_unseen_us = 0;
  std::size_t writes = 0;
  std::size_t reads = 0;
  std::array<std::int32_t, kMostSamples> write_us;
  std::array<std::int32_t, kMostSamples> read_us;
};

class SharedReports {
 public:
  SharedReports()
      : memory_(::mmap(nullptr, sizeof(Report) * kMostProcesses, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                       0)) {
    if (memory_ == MAP_FAILED) std::abort();
    for (int i = 0; i < kMostProcesses; ++i) new (&at(i)) Report;
  }
  ~SharedReports() { ::munmap(memory_, sizeof(Report) * kMostProcesses); }
  SharedReports(const SharedReports&) = delete;
  SharedReports& operator=(const SharedReports&) = delete;

  Report& at(int process) const { return static_cast<Report*>(memory_)[process]; }

 private:
  void* memory_;
};

// A store as one process has it open.
struct OpenStore {
  std::function<Status(const Record&)> write;
  std::function<Result<bool>(const std::string& id)> has;  // absent: reads are not measured
};
using Open = std::function<Result<OpenStore>()>;

std::string id_of(int process, std::int64_t number) { return std::to_string(process) + "-" + std::to_string(number); }

// Reads what another process has acknowledged; when it is not there, until it is.
void read_newest(const OpenStore& store, const SharedReports& reports, int other, Report& own) {
  const Report& theirs = reports.at(other);
  const std::int64_t newest = theirs.newest.load();
  if (newest < 0 || own.reads == kMostSamples) return;
  const std::int64_t acknowledged = theirs.acknowledged_at_us.load();
  const std::int64_t start = now_us();
  Result<bool> found = store.has(id_of(other, newest));
  own.read_us[own.reads++] = static_cast<std::int32_t>(now_us() - start);
  if (!found.ok()) ++own.errors;
  if (!found.ok() || *found) return;
  ++own.unseen;
  while (found.ok() && !*found) found = store.has(id_of(other, newest));
  own.longest_unseen_us = std::max(own.longest_unseen_us, now_us() - acknowledged);
}

int work(const Open& open, const SharedReports& reports, int process, int processes, std::int64_t end_us) {
  const Result<OpenStore> store = open();
  if (!store.ok()) return 1;
  Report& own = reports.at(process);
  Corpus corpus({.seed = static_cast<std::uint64_t>(process) + 1});
  for (std::int64_t number = 0; now_us() < end_us && own.writes < kMostSamples; ++number) {
    Record record = corpus.next(1).front();
    record.id = id_of(process, number);
    const std::int64_t start = now_us();
    if (!store->write(record).ok()) ++own.errors;
    const std::int64_t done = now_us();
    own.write_us[own.writes++] = static_cast<std::int32_t>(done - start);
    own.acknowledged_at_us.store(done);
    own.newest.store(number);
    if (store->has)
      read_newest(*store, reports, static_cast<int>((process + 1 + number % (processes - 1)) % processes), own);
  }
  return 0;
}

struct Figures {
  std::size_t writes = 0;
  std::int64_t errors = 0;
  std::int64_t unseen = 0;
  double longest_unseen_ms = 0;
  double write_p50_ms = 0;
  double write_p999_ms = 0;
  double write_longest_ms = 0;
  double read_p999_ms = 0;
  double read_longest_ms = 0;
};

double quantile_ms(const std::vector<std::int32_t>& sorted, double at) {
  if (sorted.empty()) return 0;
  const auto index = static_cast<std::size_t>(at * static_cast<double>(sorted.size() - 1));
  return sorted[index] / 1000.0;
}

Figures summarize(const SharedReports& reports, int processes) {
  Figures figures;
  std::vector<std::int32_t> writes;
  std::vector<std::int32_t> reads;
  for (int process = 0; process < processes; ++process) {
    const Report& report = reports.at(process);
    writes.insert(writes.end(), report.write_us.begin(),
                  report.write_us.begin() + static_cast<std::ptrdiff_t>(report.writes));
    reads.insert(reads.end(), report.read_us.begin(),
                 report.read_us.begin() + static_cast<std::ptrdiff_t>(report.reads));
    figures.errors += report.errors;
    figures.unseen += report.unseen;
    figures.longest_unseen_ms =
        std::max(figures.longest_unseen_ms, static_cast<double>(report.longest_unseen_us) / 1000.0);
  }
  std::sort(writes.begin(), writes.end());
  std::sort(reads.begin(), reads.end());
  figures.writes = writes.size();
  figures.write_p50_ms = quantile_ms(writes, 0.5);
  figures.write_p999_ms = quantile_ms(writes, 0.999);
  figures.write_longest_ms = quantile_ms(writes, 1);
  figures.read_p999_ms = quantile_ms(reads, 0.999);
  figures.read_longest_ms = quantile_ms(reads, 1);
  return figures;
}

Result<Figures> run(const Open& open, int processes, int seconds) {
  {
    const OpenStore store = TRY(open());  // makes it; closed again before the others start
  }
  const SharedReports reports;
  const std::int64_t end_us = now_us() + std::int64_t{seconds} * 1'000'000;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work(open, reports, process, processes, end_us));
    children.push_back(child);
  }
  bool all_well = true;
  for (const pid_t child : children) {
    int status = 0;
    all_well = ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && all_well;
  }
  if (!all_well) return Error{ErrorKind::internal, "a process failed"};
  return summarize(reports, processes);
}

Result<OpenStore> open_loci(const std::filesystem::path& folder) {
  const std::shared_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> collection =
      TRY(backend->collection(PalaceRef::at(folder / "palace"), "drawers", {.if_missing = IfMissing::create}));
  return OpenStore{.write = [backend, collection](const Record& record) -> Status {
                     TRY(collection->upsert(std::span(&record, 1)));
                     return {};
                   },
                   .has = [collection](const std::string& id) -> Result<bool> {
                     return !TRY(collection->get({.selection = {.ids = {{id}}}})).empty();
                   }};
}

Result<OpenStore> open_sqlite(const std::filesystem::path& folder) {
  const std::shared_ptr<PlainSqlite> database = TRY(PlainSqlite::open(folder / "plain.db", std::chrono::seconds(60)));
  return OpenStore{.write = [database](const Record& record) { return database->insert(std::span(&record, 1)); },
                   .has = {}};
}

void print(const char* system, int processes, const Figures& figures, const std::string& commit) {
  const std::string line = result_line("processes",
                                       {{"system", std::string(system)},
                                        {"processes", std::int64_t{processes}},
                                        {"writes", static_cast<std::int64_t>(figures.writes)},
                                        {"errors", figures.errors},
                                        {"write_p50_ms", figures.write_p50_ms},
                                        {"write_p999_ms", figures.write_p999_ms},
                                        {"write_longest_ms", figures.write_longest_ms},
                                        {"read_p999_ms", figures.read_p999_ms},
                                        {"read_longest_ms", figures.read_longest_ms},
                                        {"unseen", figures.unseen},
                                        {"longest_unseen_ms", figures.longest_unseen_ms}},
                                       commit);
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, "  %2d %-6s %7zu writes, %lld errors; a write %.1f ms, p99.9 %.0f ms, longest %.0f ms",
               processes, system, figures.writes, static_cast<long long>(figures.errors), figures.write_p50_ms,
               figures.write_p999_ms, figures.write_longest_ms);
  if (figures.read_longest_ms > 0) {
    std::fprintf(stderr, "; a read p99.9 %.0f ms, longest %.0f ms; %lld acknowledged writes not seen at once (%.0f ms)",
                 figures.read_p999_ms, figures.read_longest_ms, static_cast<long long>(figures.unseen),
                 figures.longest_unseen_ms);
  }
  std::fputc('\n', stderr);
}

void print_goal(const char* goal, double value, double limit) {
  std::fprintf(stderr, "     %-8s %s: %.1f, at most %.1f\n", value <= limit ? "kept" : "NOT KEPT", goal, value, limit);
}

void print_goals(const Figures& loci, const Figures& sqlite) {
  print_goal("writes and reads that failed", static_cast<double>(loci.errors), 0);
  print_goal("acknowledged writes not seen at once", static_cast<double>(loci.unseen), 0);
  print_goal("ms until a write is seen", loci.longest_unseen_ms, 50);
  print_goal("ms of p99.9 of a write", loci.write_p999_ms, 300);
  print_goal("ms of the longest write, beside a fifth of the rival's", loci.write_longest_ms,
             sqlite.write_longest_ms / 5);
}

// Errors: those of the runs; internal when a store was wrong, and not merely slow.
Status run_all(const std::vector<int>& counts, int seconds, const std::string& folder, const std::string& commit) {
  std::fprintf(stderr, "many processes at one store, %d s each\n", seconds);
  std::int64_t wrong = 0;
  for (const int processes : counts) {
    const TemporaryFolder here = TRY(folder.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(folder));
    const Figures loci = TRY(run([&] { return open_loci(here.path()); }, processes, seconds));
    print("loci", processes, loci, commit);
    const Figures sqlite = TRY(run([&] { return open_sqlite(here.path()); }, processes, seconds));
    print("sqlite", processes, sqlite, commit);
    print_goals(loci, sqlite);
    wrong += loci.errors + loci.unseen;
  }
  if (wrong == 0) return {};
  return Error{ErrorKind::internal, std::to_string(wrong) + " writes or reads failed, or missed what was acknowledged"};
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  std::vector<int> counts;
  std::stringstream list(value("processes", "8,16"));
  for (std::string count; std::getline(list, count, ',');) counts.push_back(std::atoi(count.c_str()));
  const bool are_valid =
      std::all_of(counts.begin(), counts.end(), [](int n) { return n >= 2 && n <= loci::bench::kMostProcesses; });
  const int seconds = std::atoi(value("seconds", "20").c_str());
  if (counts.empty() || !are_valid || seconds < 1) {
    std::fputs("processes_bench: --processes are numbers from 2 to 64, --seconds at least 1\n", stderr);
    return 2;
  }
  const loci::Status status = loci::bench::run_all(counts, seconds, value("folder", ""), value("commit", "unknown"));
  if (!status.ok()) std::fprintf(stderr, "processes_bench: %s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
