// Question: what do searches by vector notice of others that write? Data: rows around random centres, indexed. Readers
// ask for the nearest ten, half the time for those of a record that a writer has just been told is stored: it must be
// among them. Beside them run either as many processes that only use the processor, or as many that write one durable
// record after the other and keep the index up to date.
// Goals: p99 of a search beside writers under three times that beside spinners, and nothing missed.
//
// readers_bench [--rows 100000] [--processes 4] [--seconds 20] [--folder DIR] [--commit HASH]
// JSON lines go to the standard output, the table to the standard error.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary_folder.h"
#include "bench/workloads/measure.h"
#include "loci/backend.h"
#include "ops/made_vectors.h"
#include "store/embedded/embedded_backend.h"

namespace loci::bench {
namespace {

constexpr int kMostProcesses = 16;
constexpr std::size_t kMostSamples = 200'000;
constexpr std::size_t kVectorsPerWriter = 5'000;  // then it begins again, and replaces its records
constexpr std::size_t kQueries = 500;
constexpr std::size_t kClusters = 1'000;
constexpr std::int64_t kWritesPerLook = 20;  // after so many a writer looks whether the index is to be extended

struct Reader {
  std::size_t queries = 0;
  std::int64_t missed = 0;
  std::array<float, kMostSamples> seconds;
};

// In memory that all processes share.
struct Board {
  std::array<std::atomic<std::int64_t>, kMostProcesses> acknowledged;  // records of each writer
  std::array<Reader, kMostProcesses> readers;
};

// Made before the processes are, so that readers know what writers store.
struct Vectors {
  std::vector<Embedding> queries;
  std::vector<std::vector<Embedding>> written;  // by writer
};

std::vector<Embedding> made(std::size_t count, std::uint64_t stream) {
  VectorMaker maker({.clusters = kClusters, .stream = stream});
  std::vector<Embedding> vectors(count);
  for (Embedding& vector : vectors) vector = maker.next();
  return vectors;
}

std::string id_of(int writer, std::size_t number) { return std::to_string(writer) + "-" + std::to_string(number); }

struct Store {
  std::unique_ptr<Backend> backend;
  std::shared_ptr<Collection> collection;
};

Result<Store> open_store(const std::filesystem::path& folder) {
  Store store{.backend = make_embedded_backend(), .collection = {}};
  const OpenOptions options{.if_missing = IfMissing::create};
  store.collection = TRY(store.backend->collection(PalaceRef::at(folder / "palace"), "drawers", options));
  return store;
}

Status fill(const std::filesystem::path& folder, std::size_t rows) {
  const Store store = TRY(open_store(folder));
  VectorMaker maker({.clusters = kClusters});
  std::vector<Record> batch;
  for (std::size_t row = 0; row < rows; ++row) {
    batch.push_back({.id = std::to_string(row), .document = "text", .embedding = maker.next()});
    if (batch.size() < 1'000 && row + 1 < rows) continue;
    TRY(store.collection->upsert(batch));
    batch.clear();
  }
  while (TRY(store.collection->index_pending()) > 0) {
  }
  return {};
}

using Clock = std::chrono::steady_clock;

int read_until(Clock::time_point end, const std::filesystem::path& folder, const Vectors& vectors, int own, int writers,
               Board& board) {
  const Result<Store> store = open_store(folder);
  if (!store.ok()) return 1;
  Reader& report = board.readers[static_cast<std::size_t>(own)];
  std::mt19937 random(static_cast<unsigned>(own));
  while (Clock::now() < end && report.queries < kMostSamples) {
    const int writer = writers == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(writers));
    const std::int64_t count = board.acknowledged[static_cast<std::size_t>(writer)].load();
    const bool asks_for_newest = count > 0 && random() % 2 == 0;
    const std::size_t newest = static_cast<std::size_t>(std::max<std::int64_t>(0, count - 1)) % kVectorsPerWriter;
    const Embedding& vector = asks_for_newest ? vectors.written[static_cast<std::size_t>(writer)][newest]
                                              : vectors.queries[random() % vectors.queries.size()];
    const Stopwatch watch;
    const Result<QueryResult> found = store->collection->query({.embeddings = {vector}, .n_results = 10});
    report.seconds[report.queries++] = static_cast<float>(watch.seconds());
    if (!found.ok()) return 2;
    const std::string wanted = id_of(writer, newest);
    const bool is_there = std::any_of(found->hits[0].begin(), found->hits[0].end(),
                                      [&](const Hit& hit) { return hit.record.id == wanted; });
    if (asks_for_newest && !is_there) ++report.missed;
  }
  return 0;
}

int write_until(Clock::time_point end, const std::filesystem::path& folder, const Vectors& vectors, int own,
                Board& board) {
  const Result<Store> store = open_store(folder);
  if (!store.ok()) return 1;
  const std::string document(800, 'x');
  for (std::int64_t number = 0; Clock::now() < end; ++number) {
    const std::size_t place = static_cast<std::size_t>(number) % kVectorsPerWriter;
    const Record record{.id = id_of(own, place),
                        .document = document,
                        .embedding = vectors.written[static_cast<std::size_t>(own)][place]};
    if (!store->collection->upsert(std::span(&record, 1)).ok()) return 2;
    board.acknowledged[static_cast<std::size_t>(own)].store(number + 1);
    if (number % kWritesPerLook == 0 && !store->collection->index_pending().ok()) return 3;
  }
  return 0;
}

int spin_until(Clock::time_point end) {
  while (Clock::now() < end) {
  }
  return 0;
}

struct Figures {
  Latency latency;
  std::int64_t queries = 0;
  std::int64_t missed = 0;
  std::int64_t writes = 0;
};

enum class Beside { spinners, writers };

Result<Figures> run(const std::filesystem::path& folder, const Vectors& vectors, Beside beside, int processes,
                    int seconds) {
  void* const shared = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return Error{ErrorKind::io, "there is no memory to share"};
  Board& board = *new (shared) Board();
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::vector<pid_t> children;
  const auto start = [&](const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    children.push_back(child);
  };
  const int writers = beside == Beside::writers ? processes : 0;
  for (int i = 0; i < processes; ++i) {
    start([&] { return read_until(end, folder, vectors, i, writers, board); });
    start([&] { return writers > 0 ? write_until(end, folder, vectors, i, board) : spin_until(end); });
  }
  bool all_well = true;
  for (const pid_t child : children) {
    int status = 0;
    all_well = ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && all_well;
  }
  Figures figures;
  std::vector<double> all;
  for (const Reader& reader : board.readers) {
    all.insert(all.end(), reader.seconds.begin(), reader.seconds.begin() + static_cast<std::ptrdiff_t>(reader.queries));
    figures.missed += reader.missed;
  }
  for (const auto& count : board.acknowledged) figures.writes += count;
  figures.queries = static_cast<std::int64_t>(all.size());
  figures.latency = latency_of(std::move(all));
  ::munmap(shared, sizeof(Board));
  if (!all_well) return Error{ErrorKind::internal, "a process failed"};
  return figures;
}

void print(const char* beside, const Figures& figures, const std::string& commit) {
  const std::string line = result_line("readers",
                                       {{"beside", std::string(beside)},
                                        {"queries", figures.queries},
                                        {"missed", figures.missed},
                                        {"writes", figures.writes},
                                        {"p50_us", figures.latency.p50_us},
                                        {"p99_us", figures.latency.p99_us}},
                                       commit);
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, "  beside %-8s %7lld searches, p50 %.2f ms, p99 %.2f ms; %lld writes, %lld of them missed\n",
               beside, static_cast<long long>(figures.queries), figures.latency.p50_us / 1e3,
               figures.latency.p99_us / 1e3, static_cast<long long>(figures.writes),
               static_cast<long long>(figures.missed));
}

Status run_all(std::size_t rows, int processes, int seconds, const std::string& parent, const std::string& commit) {
  const TemporaryFolder folder = TRY(parent.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(parent));
  TRY(fill(folder.path(), rows));
  Vectors vectors{.queries = made(kQueries, 1), .written = {}};
  for (int writer = 0; writer < processes; ++writer)
    vectors.written.push_back(made(kVectorsPerWriter, static_cast<std::uint64_t>(writer) + 2));
  std::fprintf(stderr, "%d readers of %zu rows, %d s each\n", processes, rows, seconds);
  const Figures spinners = TRY(run(folder.path(), vectors, Beside::spinners, processes, seconds));
  print("spinners", spinners, commit);
  const Figures writers = TRY(run(folder.path(), vectors, Beside::writers, processes, seconds));
  print("writers", writers, commit);
  std::fprintf(stderr, "  p99 beside writers is %.2f times that beside spinners\n",
               writers.latency.p99_us / std::max(1.0, spinners.latency.p99_us));
  return {};
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  const std::size_t rows = std::strtoull(value("rows", "100000").c_str(), nullptr, 10);
  const int processes = std::atoi(value("processes", "4").c_str());
  const int seconds = std::atoi(value("seconds", "20").c_str());
  if (rows == 0 || processes < 1 || processes > loci::bench::kMostProcesses || seconds < 1) {
    std::fputs("readers_bench: --rows and --seconds are at least 1, --processes from 1 to 16\n", stderr);
    return 2;
  }
  const loci::Status status =
      loci::bench::run_all(rows, processes, seconds, value("folder", ""), value("commit", "unknown"));
  if (!status.ok()) std::fprintf(stderr, "readers_bench: %s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
