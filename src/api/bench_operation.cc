// bench: how fast and how right, measured here. Needs no palace: each bench makes one and removes it.
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "api/bench_embed_run.h"
#include "api/bench_search_run.h"
#include "api/caller.h"
#include "api/record_json.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "ops/bench_backend.h"
#include "ops/bench_query.h"
#include "ops/bench_vectors.h"
#include "ops/output_file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBenches[] = {"vectors", "backend", "embed", "search", "query"};
constexpr std::string_view kMetrics[] = {"cosine", "l2", "ip"};
constexpr Field kBenchFields[] = {
    {.name = "bench",
     .help = "vectors: search by vector in the rows of a file; backend: a backend right after a load, when its "
             "background work is done, and after each kind of maintenance; embed: the embedder in force; search: a "
             "search from the question to the hits, stage by stage; query: only the queries, in the palace that an "
             "earlier bench made",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .choices = kBenches,
     .placeholder = "vectors|backend|embed|search|query"},
    {.name = "base", .type = FieldType::path, .help = "vectors: the rows, as raw float32", .placeholder = "FILE"},
    {.name = "queries", .type = FieldType::path, .help = "vectors: the queries, as raw float32", .placeholder = "FILE"},
    {.name = "dim", .type = FieldType::integer, .help = "the dimension of a row", .minimum = 1, .maximum = 65'536},
    {.name = "metric", .help = "vectors: the distance", .default_value = "\"cosine\"", .choices = kMetrics},
    {.name = "filter_fraction",
     .type = FieldType::number,
     .help = "vectors: measure also with a filter that keeps this part of the rows"},
    {.name = "ids_output",
     .type = FieldType::path,
     .help = "vectors: write the row numbers found, without the filter: one list for each query",
     .placeholder = "FILE"},
    {.name = "keep",
     .type = FieldType::path,
     .help = "vectors: keep the palace in this folder, and use it again when it is there",
     .placeholder = "FOLDER"},
    {.name = "records",
     .type = FieldType::integer,
     .help = "backend, search: how many records to store",
     .default_value = "10000",
     .minimum = 1},
    {.name = "texts",
     .type = FieldType::integer,
     .help = "embed: how many texts of 200 tokens in a batch; 0: only a question",
     .default_value = "32",
     .minimum = 0,
     .maximum = 10'000},
    {.name = "limit", .type = FieldType::integer, .help = "query: at most this many queries", .minimum = 1},
    {.name = "folder",
     .type = FieldType::path,
     .help = "where palaces are made, on the disk in question; the system's folder for temporary files if not given",
     .placeholder = "FOLDER"},
};
constexpr Example kBenchExamples[] = {
    {"bench vectors --base base.f32 --queries queries.f32 --dim 2", "recall and time of a search in these rows"},
    {"bench backend --records 100 --dim 8 --json", "the backend in its three phases, for scripts"},
    {"bench search --records 1000 --embedder hash", "where the time of a search goes"},
    {"bench embed --embedder hash", "tokens a second, and how long a question takes"},
};

Result<std::string> needed(const Request& request, std::string_view field) {
  if (const std::optional<std::string> text = request.text(field)) return *text;
  return Error{ErrorKind::invalid_argument,
               "bench " + request.required_text("bench") + " needs --" + std::string(field)};
}

Result<std::size_t> needed_dimension(const Request& request) {
  if (const std::optional<std::int64_t> dimension = request.integer("dim")) return static_cast<std::size_t>(*dimension);
  return Error{ErrorKind::invalid_argument, "bench " + request.required_text("bench") + " needs --dim"};
}

Result<Backend*> chosen_backend(Session& session) {
  const std::string name = session.options().sources.flags.backend.value_or(std::string(kDefaultBackend));
  const Result<Backend*> backend = session.registry().find(name);
  if (!backend.ok() && backend.error().kind == ErrorKind::not_found)
    return Error{ErrorKind::invalid_argument, backend.error().message};
  return backend;
}

BenchProgress progress_to(Caller& caller) {
  return [&caller](std::string_view unit, std::uint64_t done, std::uint64_t total) -> Status {
    if (caller.is_cancelled()) return Error{ErrorKind::unavailable, "the bench was interrupted"};
    caller.progress({.unit = unit, .done = done, .total = total == 0 ? std::nullopt : std::optional(total)});
    return {};
  };
}

Json value_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

// --- vectors ---

// This program, asking queries of the palace and ending.
RunQueryProcess query_process(const Session& session, const std::string& backend, const std::string& queries,
                              std::size_t dimension) {
  if (!session.options().run_self) return {};
  return [run = session.options().run_self, backend, queries, dimension](const fs::path& palace,
                                                                         std::size_t limit) -> Result<QueryProcess> {
    const ProgramRun done =
        TRY(run({"bench", "query", "--folder", palace.string(), "--queries", queries, "--dim",
                 std::to_string(dimension), "--limit", std::to_string(limit), "--backend", backend, "--json"}));
    const Json answer = TRY(parse_json(done.output, "the answer of `bench query`"));
    QueryProcess process{.seconds = done.seconds};
    if (const auto bytes = answer.find("private_bytes"); bytes != answer.end() && bytes->is_number_unsigned())
      process.private_bytes = bytes->get<std::size_t>();
    return process;
  };
}

Json vectors_to_json(const VectorBenchRequest& request, const VectorBenchReport& report) {
  constexpr double kMegabyte = 1e6;
  Json answer = {{"bench", "vectors"},
                 {"rows", report.rows},
                 {"queries", report.queries},
                 {"dim", request.dimension},
                 {"metric", to_string(request.metric)},
                 {"recall_at_10", report.recall_at_10},
                 {"warm_p50_us", report.warm.p50_us},
                 {"warm_p99_us", report.warm.p99_us},
                 {"new_process_ms", value_or_null(report.new_process_ms)},
                 {"load_seconds", report.was_kept ? Json(nullptr) : Json(report.load_seconds)},
                 {"index_seconds", report.was_kept ? Json(nullptr) : Json(report.index_seconds)},
                 {"lists_seconds", report.was_kept ? Json(nullptr) : Json(report.lists_seconds)},
                 {"bytes_per_row", report.index_bytes_per_row},
                 {"resident_mb", report.resident_bytes ? Json(static_cast<double>(*report.resident_bytes) / kMegabyte)
                                                       : Json(nullptr)},
                 {"palace_bytes", report.palace_bytes}};
  if (report.flat) {
    answer["flat_recall_at_10"] = *report.flat_recall_at_10;
    answer["flat_p50_us"] = report.flat->p50_us;
    answer["flat_p99_us"] = report.flat->p99_us;
  }
  if (report.filtered) {
    answer["filter_fraction"] = *request.filter_fraction;
    answer["filtered_recall_at_10"] = *report.filtered_recall_at_10;
    answer["filtered_p50_us"] = report.filtered->p50_us;
    answer["filtered_p99_us"] = report.filtered->p99_us;
  }
  answer["state"] = to_json(report.state);
  return answer;
}

Result<Answer> run_vectors(Session& session, const Request& request, Caller& caller) {
  Backend* backend = TRY(chosen_backend(session));
  const std::string base = TRY(needed(request, "base"));
  const std::string queries = TRY(needed(request, "queries"));
  const std::size_t dimension = TRY(needed_dimension(request));
  VectorBenchRequest what = {
      .base = base,
      .queries = queries,
      .dimension = dimension,
      .metric = parse_distance_metric(request.required_text("metric")).value_or(DistanceMetric::cosine),
      .filter_fraction = request.number("filter_fraction"),
      .folder = request.text("folder").value_or(""),
      .keep = request.text("keep").value_or(""),
  };
  const std::optional<std::string> ids_output = request.text("ids_output");
  std::optional<OutputFile> ids;  // made first: what cannot be written is told before the work
  if (ids_output) ids = TRY(OutputFile::create(*ids_output, IfThere::replace));
  what.run_process = query_process(session, backend->info().name, what.queries.string(), what.dimension);
  const VectorBenchReport report = TRY(bench_vectors(*backend, what, progress_to(caller)));
  if (ids) {
    TRY(ids->write(to_text(Json(report.found), JsonLayout::one_line) + "\n"));
    TRY(ids->publish());
  }
  return Answer{vectors_to_json(what, report)};
}

Result<Answer> run_query(Session& session, const Request& request, Caller&) {
  Backend* backend = TRY(chosen_backend(session));
  const VectorFile queries = TRY(VectorFile::open(TRY(needed(request, "queries")), TRY(needed_dimension(request))));
  const PalaceRef palace = PalaceRef::at(fs::absolute(TRY(needed(request, "folder"))));
  const auto limit =
      static_cast<std::size_t>(request.integer("limit").value_or(static_cast<std::int64_t>(queries.rows())));
  const QueryBenchReport report = TRY(bench_query(*backend, palace, queries, limit));
  return Answer{{{"bench", "query"},
                 {"queries", report.rows.size()},
                 {"seconds", report.seconds},
                 {"private_bytes", report.private_bytes ? Json(*report.private_bytes) : Json(nullptr)},
                 {"ids", report.rows}}};
}

// --- backend ---

Json phase_to_json(const BackendBenchPhase& phase) {
  Json json = {{"phase", phase.name},
               {"query_p50_us", phase.query.p50_us},
               {"query_p99_us", phase.query.p99_us},
               {"filtered_p50_us", phase.filtered.p50_us},
               {"filtered_p99_us", phase.filtered.p99_us},
               {"get_p50_us", phase.get.p50_us},
               {"get_p99_us", phase.get.p99_us}};
  if (phase.match) json["match_p50_us"] = phase.match->p50_us;
  if (phase.match) json["match_p99_us"] = phase.match->p99_us;
  if (phase.maintenance) {
    json["maintenance"] = {{"kind", phase.maintenance->kind},
                           {"status", to_string(phase.maintenance->status)},
                           {"stats", to_json(phase.maintenance->stats)}};
  }
  json["state"] = to_json(phase.state);
  return json;
}

Result<Answer> run_backend(Session& session, const Request& request, Caller& caller) {
  Backend* backend = TRY(chosen_backend(session));
  BackendBenchRequest what = {.records = static_cast<std::size_t>(request.required_integer("records")),
                              .folder = request.text("folder").value_or("")};
  if (const std::optional<std::int64_t> dimension = request.integer("dim"))
    what.dimension = static_cast<std::size_t>(*dimension);
  const BackendBenchReport report = TRY(bench_backend(*backend, what, progress_to(caller)));
  Json phases = Json::array();
  for (const BackendBenchPhase& phase : report.phases) phases.push_back(phase_to_json(phase));
  return Answer{{{"bench", "backend"},
                 {"backend", backend->info().name},
                 {"records", what.records},
                 {"dim", what.dimension},
                 {"load_seconds", report.load_seconds},
                 {"settle_seconds", report.settle_seconds},
                 {"phases", std::move(phases)}}};
}

Result<Answer> run_search_stages(Session& session, const Request& request, Caller& caller) {
  Backend* backend = TRY(chosen_backend(session));
  return run_search_bench(session, *backend, request, progress_to(caller));
}

// One entry for each bench; a new one is a line here, a name in kBenches and a file in src/ops.
struct Entry {
  std::string_view name;
  Result<Answer> (*run)(Session&, const Request&, Caller&);
};
constexpr Entry kEntries[] = {{"vectors", run_vectors},
                              {"backend", run_backend},
                              {"embed", run_embed_bench},
                              {"search", run_search_stages},
                              {"query", run_query}};

Result<Answer> run_bench(Session& session, const Request& request, Caller& caller) {
  static_cast<void>(caller.is_cancelled());  // from here on an interrupt waits until what was made is removed
  const std::string name = request.required_text("bench");
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.run(session, request, caller);
  }
  return Error{ErrorKind::internal, "the bench " + name + " is in no table"};
}

Effect effect_of_bench(const Request& request) {
  return request.text("ids_output") || request.text("keep") ? Effect::writes : Effect::reads;
}

}  // namespace

constexpr Operation kBenchOperation = {
    .name = "bench",
    .summary = "Measure how fast and how right a search is on this machine; touch no palace of yours.",
    .fields = kBenchFields,
    .examples = kBenchExamples,
    .effect = Effect::writes,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_bench,
    .reads_when = "without ids_output and keep",
    .run = run_bench,
};

}  // namespace loci
