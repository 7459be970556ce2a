#include "api/bench_search_run.h"

#include <string>
#include <utility>

#include "api/request.h"
#include "api/session.h"
#include "ops/bench_search.h"
#include "ops/bench_store.h"

namespace loci {
namespace {

Json stage(const Latency& latency) {
  constexpr double kMicrosecondsPerMs = 1'000;
  return {{"p50_ms", latency.p50_us / kMicrosecondsPerMs}, {"p99_ms", latency.p99_us / kMicrosecondsPerMs}};
}

// This program, searching the palace as somebody at a terminal would.
RunSearchProcess search_process(const Session& session, const std::string& backend, const std::string& embedder) {
  if (!session.options().run_self) return {};
  return [run = session.options().run_self, backend, embedder](const std::filesystem::path& palace,
                                                               const std::string& question) -> Result<double> {
    const ProgramRun done =
        TRY(run({"search", question, "--palace", palace.string(), "--collection", std::string(kBenchCollection),
                 "--backend", backend, "--embedder", embedder, "--json"}));
    return done.seconds;
  };
}

}  // namespace

Result<Answer> run_search_bench(Session& session, Backend& backend, const Request& request,
                                const BenchProgress& progress) {
  const Settings settings = TRY(session.settings());
  SearchBenchRequest what = {.records = static_cast<std::size_t>(request.required_integer("records")),
                             .embedder = TRY(session.embedder(settings)),
                             .folder = request.text("folder").value_or("")};
  if (what.embedder != nullptr && what.embedder->dimension() > 0) what.dimension = what.embedder->dimension();
  what.run_process = search_process(session, backend.info().name, settings.embedder.value);
  const SearchBenchReport report = TRY(bench_search(backend, what, progress));
  return Answer{{{"bench", "search"},
                 {"backend", backend.info().name},
                 {"embedder", settings.embedder.value},
                 {"records", what.records},
                 {"calls", report.calls},
                 {"stages",
                  {{"embed", stage(report.embed)},
                   {"words", stage(report.words)},
                   {"vectors", stage(report.vectors)},
                   {"fetch", stage(report.fetch)},
                   {"rest", stage(report.rest)},
                   {"all but embed", stage(report.without_embedding)},
                   {"total", stage(report.total)}}},
                 {"new_process_ms", report.new_process_ms ? Json(*report.new_process_ms) : Json(nullptr)},
                 {"load_seconds", report.load_seconds},
                 {"index_seconds", report.index_seconds}}};
}

}  // namespace loci
