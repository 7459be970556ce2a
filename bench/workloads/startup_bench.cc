// Question: how long does a command take that does next to nothing, and how much memory?
// Data: a palace of 100,000 drawers of 800 characters with vectors (corpus.h), in eight wings and ten rooms.
//   loci --version   beside a C++ hello world, built with the same flags (goal: at most twice its time)
//   loci status      on the palace (goal: under 30 ms; under 40 MB of memory of its own)
//
// startup_bench --loci PROGRAM --hello PROGRAM [--records 100000] [--runs 200] [--folder DIR] [--commit HASH]
// JSON lines go to the standard output, the table to the standard error.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "bench/workloads/child_process.h"
#include "bench/workloads/corpus.h"
#include "bench/workloads/measure.h"
#include "loci/backend.h"
#include "store/embedded/embedded_backend.h"

namespace loci::bench {
namespace {

constexpr std::size_t kBatch = 1'000;

struct Settings {
  std::string loci;
  std::string hello;
  std::size_t records;
  int runs;
  std::string commit;
};

Status fill_palace(const std::filesystem::path& folder, std::size_t records) {
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> collection =
      TRY(backend->collection(PalaceRef::at(folder), "drawers", {.if_missing = IfMissing::create}));
  Corpus corpus({});
  for (std::size_t done = 0; done < records; done += kBatch) TRY(collection->upsert(corpus.next(kBatch)));
  return ok_status();
}

void print_result(const Settings& settings, const std::string& what, double milliseconds) {
  const std::string line =
      result_line("startup", {{"command", what}, {"runs", std::int64_t{settings.runs}}, {"median_ms", milliseconds}},
                  settings.commit);
  std::fputs(line.c_str(), stdout);
  std::fprintf(stderr, "  %-16s %8.2f ms\n", what.c_str(), milliseconds);
}

// The programs take turns, so that whatever else the machine does meets all of them alike.
Result<std::vector<double>> medians(const std::vector<std::vector<std::string>>& commands, int runs) {
  constexpr int kWarmUps = 5;
  std::vector<std::vector<double>> seconds(commands.size());
  for (int run = -kWarmUps; run < runs; ++run) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const double taken = TRY(run_seconds(commands[i]));
      if (run >= 0) seconds[i].push_back(taken);
    }
  }
  std::vector<double> middles;
  for (const std::vector<double>& values : seconds) middles.push_back(median(values));
  return middles;
}

Status run_all(const Settings& settings, const std::string& folder) {
  const TemporaryFolder here = TRY(folder.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(folder));
  ::setenv("LOCI_HOME", here.path().c_str(), 1);  // whatever the user has configured stays out of it
  const std::filesystem::path palace = here.path() / "palace";
  TRY(fill_palace(palace, settings.records));

  const std::vector<std::string> version = {settings.loci, "--version"};
  const std::vector<std::string> status = {settings.loci, "status", "--palace", palace.string()};
  const std::vector<double> seconds = TRY(medians({{settings.hello}, version, status}, settings.runs));
  std::fprintf(stderr, "start-up, median of %d runs; palace of %zu drawers\n", settings.runs, settings.records);
  print_result(settings, "hello world", seconds[0] * 1e3);
  print_result(settings, "loci --version", seconds[1] * 1e3);
  std::fprintf(stderr, "  %-16s %8.2f times the hello world\n", "", seconds[1] / seconds[0]);
  print_result(settings, "loci status", seconds[2] * 1e3);

  const MemoryUse memory = TRY(run_memory(status));
  const std::string line = result_line("startup_memory",
                                       {{"command", std::string("loci status")},
                                        {"private_bytes", memory.private_bytes},
                                        {"peak_bytes", memory.peak_bytes}},
                                       settings.commit);
  std::fputs(line.c_str(), stdout);
  std::fprintf(stderr, "  %-16s %8.1f MB of its own (at most %.1f MB with what is shared)\n", "loci status",
               static_cast<double>(memory.private_bytes) / 1e6, static_cast<double>(memory.peak_bytes) / 1e6);
  return ok_status();
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  const loci::bench::Settings settings{.loci = value("loci", ""),
                                       .hello = value("hello", ""),
                                       .records = std::strtoull(value("records", "100000").c_str(), nullptr, 10),
                                       .runs = std::atoi(value("runs", "200").c_str()),
                                       .commit = value("commit", "unknown")};
  if (settings.loci.empty() || settings.hello.empty() || settings.runs < 1) {
    std::fputs("startup_bench: --loci and --hello name the two programs; --runs is at least 1\n", stderr);
    return 2;
  }
  const loci::Status status = loci::bench::run_all(settings, value("folder", ""));
  if (!status.ok()) std::fprintf(stderr, "startup_bench: %s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
