// Question: how fast are folders of Markdown taken up, how fast are they found unchanged, how large is the result, and
// how much memory does it take?
// Data: files of about 8 KB with headings, lists and paragraphs, whose words follow Zipf's law (corpus.h); with
// --small, so many more files of one paragraph each, which are only found unchanged; with --large, files of so many
// megabytes of kinds that break everywhere, whose memory is measured. Rival, in the same run: the very
// chunks that mining stored, put into one table and one FTS5 index of plain SQLite in batches of 1,000 (goal: at least
// 0.7 of its rate; reading, cutting and hashing are on our side only).
//
// mine_bench [--files 2000] [--runs 3] [--small 0] [--large 0] [--folder DIR] [--from DIR] [--commit HASH]
// --from mines a folder of one's own instead. JSON lines go to the standard output, the table to the standard error.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/process_memory.h"
#include "base/temporary_folder.h"
#include "bench/peers/plain_sqlite.h"
#include "bench/workloads/corpus.h"
#include "bench/workloads/measure.h"
#include "ingest/mine.h"
#include "loci/backend.h"
#include "store/embedded/embedded_backend.h"

namespace loci::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSectionsAFile = 8;
constexpr std::size_t kBatch = 1'000;

std::string markdown_file(Corpus& corpus) {
  std::string text = "# Notes\n\n";
  for (const Record& section : corpus.next(kSectionsAFile)) {
    text += "## " + section.document.substr(0, 40) + "\n\n";
    for (std::size_t at = 0; at < section.document.size(); at += 320) text += section.document.substr(at, 320) + "\n\n";
  }
  return text;
}

void write_files(const fs::path& folder, std::size_t count) {
  Corpus corpus({.characters = 960, .dimension = 0});
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path file = folder / ("part" + std::to_string(i / 100)) / ("note" + std::to_string(i) + ".md");
    fs::create_directories(file.parent_path());
    std::ofstream(file) << markdown_file(corpus);
  }
}

void write_small_files(const fs::path& folder, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path file = folder / ("part" + std::to_string(i / 1'000)) / ("note" + std::to_string(i) + ".md");
    if (i % 1'000 == 0) fs::create_directories(file.parent_path());
    std::ofstream(file) << "# Note " << i << "\n\nWhat this one says, number " << i << " of many, is in no other.\n";
  }
}

struct Mined {
  MineReport report;
  double seconds = 0;
  double memory_mb = 0;  // the most that the process had for itself
};

// The most that the process has for itself while this lives. Looking takes a while, so it is done a few times a second.
class MemoryWatch {
 public:
  MemoryWatch() : thread_([this] { run(); }) {}
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch() { stop(); }

  double stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return static_cast<double>(most_) / 1e6;
  }

 private:
  void run() {
    constexpr std::chrono::milliseconds kPause{20};
    do {
      most_ = std::max(most_, private_memory_bytes().value_or(0));
      std::this_thread::sleep_for(kPause);
    } while (!is_over_);
  }

  std::atomic<bool> is_over_ = false;
  std::size_t most_ = 0;  // of the thread until it ended
  std::thread thread_;
};

Result<Mined> timed_mine(Collection& drawers, const fs::path& folder) {
  MemoryWatch memory;
  const Stopwatch stopwatch;
  MineReport report = TRY(mine(&drawers, {.path = folder, .now_unix_ms = now_unix_ms()},
                               {.progress = [](const MineProgress&) {}, .is_cancelled = [] { return false; }}));
  const double seconds = stopwatch.seconds();
  return Mined{std::move(report), seconds, memory.stop()};
}

std::uintmax_t size_of_database(const fs::path& palace) {
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(palace)) bytes += entry.file_size();
  return bytes;
}

Result<double> seconds_of_sqlite(const std::vector<Record>& records, const fs::path& file) {
  const std::unique_ptr<PlainSqlite> database = TRY(PlainSqlite::open(file));
  const Stopwatch stopwatch;
  for (std::size_t first = 0; first < records.size(); first += kBatch)
    TRY(database->insert(std::span(records).subspan(first, std::min(kBatch, records.size() - first))));
  return stopwatch.seconds();
}

struct Run {
  double mine_rate = 0;  // MB/s
  double sqlite_rate = 0;
  double unchanged_ms = 0;
  double size_ratio = 0;
  double memory_mb = 0;  // of the first run of a process; later ones keep what earlier ones needed
};

Result<Run> run_once(const fs::path& source, const fs::path& folder) {
  const PalaceRef palace = PalaceRef::at(folder / "palace");
  Run run;
  std::vector<Record> records;
  double bytes = 0;
  {
    const std::unique_ptr<Backend> backend = make_embedded_backend();
    const auto drawers = TRY(backend->collection(palace, "drawers", {.if_missing = IfMissing::create}));
    const Mined first = TRY(timed_mine(*drawers, source));
    bytes = static_cast<double>(first.report.bytes);
    run.mine_rate = bytes / 1e6 / first.seconds;
    run.memory_mb = first.memory_mb;
    TRY(timed_mine(*drawers, source));  // files that were just written are looked at once more
    run.unchanged_ms = TRY(timed_mine(*drawers, source)).seconds * 1e3;
    records = TRY(drawers->get({}));
  }
  run.size_ratio = static_cast<double>(size_of_database(*palace.local_path)) / bytes;
  run.sqlite_rate = bytes / 1e6 / TRY(seconds_of_sqlite(records, folder / "plain.db"));
  return run;
}

Status run_small(std::size_t files, const fs::path& folder, const std::string& commit) {
  write_small_files(folder / "small", files);
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const auto drawers =
      TRY(backend->collection(PalaceRef::at(folder / "palace"), "drawers", {.if_missing = IfMissing::create}));
  const Mined first = TRY(timed_mine(*drawers, folder / "small"));
  const Mined again = TRY(timed_mine(*drawers, folder / "small"));
  const Mined unchanged = TRY(timed_mine(*drawers, folder / "small"));
  const std::string line =
      result_line("mine_small",
                  {{"files", static_cast<std::int64_t>(files)},
                   {"first_seconds", first.seconds},
                   {"unchanged_seconds", unchanged.seconds},
                   {"memory_mb", std::max({first.memory_mb, again.memory_mb, unchanged.memory_mb})}},
                  commit);
  std::fputs(line.c_str(), stdout);
  std::fprintf(stderr, "%zu small files: taken up in %.1f s, found unchanged in %.2f s\n", files, first.seconds,
               unchanged.seconds);
  return ok_status();
}

struct LargeKind {
  const char* name;  // and the file's ending
  const char* unit;  // repeated
};
constexpr LargeKind kLargeKinds[] = {{"list.md", "- a\n\n"},
                                     {"prose.md", "A sentence of some words, and one more. It ends here.\n\n"},
                                     {"bullets.md", "- what changed, in a line of its own\n"},
                                     {"code.c", "int a;\n"},
                                     {"data.json", "{\"a\": 0}, "},
                                     {"line.txt", "words in one line "}};

Status run_large(std::size_t megabytes, const fs::path& folder, const std::string& commit) {
  for (const LargeKind& kind : kLargeKinds) {
    const std::unique_ptr<Backend> backend = make_embedded_backend();  // of this kind alone, as in a process of its own
    const fs::path files = folder / "large" / kind.name;
    fs::create_directories(files);
    std::string text;
    while (text.size() + 64 < megabytes * 1'000'000) text += kind.unit;
    std::ofstream(files / kind.name) << text;
    text = {};
    const PalaceRef palace = PalaceRef::at(folder / "palaces" / kind.name);
    const auto drawers = TRY(backend->collection(palace, "drawers", {.if_missing = IfMissing::create}));
    give_back_free_memory();
    const Mined mined = TRY(timed_mine(*drawers, files));
    const std::string line = result_line("mine_large",
                                         {{"kind", std::string(kind.name)},
                                          {"megabytes", static_cast<std::int64_t>(megabytes)},
                                          {"seconds", mined.seconds},
                                          {"memory_mb", mined.memory_mb}},
                                         commit);
    std::fputs(line.c_str(), stdout);
    std::fprintf(stderr, "%s of %zu MB: %.1f s, %.0f MB of memory\n", kind.name, megabytes, mined.seconds,
                 mined.memory_mb);
  }
  return ok_status();
}

Status run_all(std::size_t files, int runs, std::size_t small, std::size_t large, const std::string& parent,
               const std::string& from, const std::string& commit) {
  const TemporaryFolder data = TRY(parent.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(parent));
  const fs::path source = from.empty() ? data.path() / "notes" : fs::path(from);
  if (small > 0) TRY(run_small(small, data.path(), commit));
  if (large > 0) TRY(run_large(large, data.path(), commit));
  if (from.empty()) write_files(source, files);
  std::vector<double> ratios;
  for (int number = 1; number <= runs; ++number) {
    const fs::path folder = data.path() / std::to_string(number);
    fs::create_directories(folder);
    const Run run = TRY(run_once(source, folder));
    ratios.push_back(run.mine_rate / run.sqlite_rate);
    const std::string line = result_line("mine",
                                         {{"run", std::int64_t{number}},
                                          {"files", static_cast<std::int64_t>(files)},
                                          {"mine_mb_per_second", run.mine_rate},
                                          {"sqlite_mb_per_second", run.sqlite_rate},
                                          {"ratio", ratios.back()},
                                          {"unchanged_ms", run.unchanged_ms},
                                          {"database_to_text", run.size_ratio},
                                          {"memory_mb", run.memory_mb}},
                                         commit);
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
    fs::remove_all(folder);
  }
  std::fprintf(stderr, "mining Markdown: %.2f of plain SQLite's rate (median of %d)\n", median(ratios), runs);
  return ok_status();
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  const std::size_t files = std::strtoull(value("files", "2000").c_str(), nullptr, 10);
  const int runs = std::atoi(value("runs", "3").c_str());
  if (files == 0 || runs < 1) {
    std::fputs("mine_bench: --files and --runs must be at least 1\n", stderr);
    return 2;
  }
  const std::size_t small = std::strtoull(value("small", "0").c_str(), nullptr, 10);
  const std::size_t large = std::strtoull(value("large", "0").c_str(), nullptr, 10);
  const loci::Status status = loci::bench::run_all(files, runs, small, large, value("folder", ""), value("from", ""),
                                                   value("commit", "unknown"));
  if (!status.ok()) std::fprintf(stderr, "mine_bench: %s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
