// export and import: a palace as a file of JSON lines, and back.
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/output_place.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/file.h"
#include "ops/export.h"
#include "ops/import.h"
#include "ops/output_file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStream = "-";

// --- export ---

constexpr Field kExportFields[] = {
    {.name = "output",
     .type = FieldType::path,
     .help = "the file to write, which appears when the export is complete; to the standard output if not given",
     .placeholder = "FILE"},
    {.name = "overwrite",
     .type = FieldType::boolean,
     .help = "replace the file if it is there; on the command line only"},
    {.name = "embeddings", .type = FieldType::boolean, .help = "with the vectors, for a lossless copy"},
    {.name = "collection", .help = "only this collection; all if not given", .placeholder = "NAME"},
};
constexpr Example kExportExamples[] = {
    {"export --output backup.jsonl --embeddings", "everything, to be imported elsewhere"},
    {"export --collection drawers | gzip > drawers.jsonl.gz", "one collection, through another program"},
};

std::string output_of(const Request& request) { return request.text("output").value_or(std::string(kStream)); }

Effect effect_of_export(const Request& request) {
  return output_of(request) == kStream ? Effect::reads : Effect::writes;
}

Result<ExportReport> export_to(const fs::path& output, IfThere if_there, Backend& backend, const ExportRequest& request,
                               Caller& caller, const ExportObserver& observer) {
  static_cast<void>(caller.is_cancelled());  // from here on an interrupt waits until the file is gone again
  // Created before the palace is read: a path that cannot be written shows at once.
  OutputFile file = TRY(OutputFile::create(output, if_there));
  const LineSink write = [&](std::string_view lines) -> Status {
    if (caller.is_cancelled()) return Error{ErrorKind::unavailable, "the export was interrupted"};
    return file.write(lines);
  };
  const ExportReport report = TRY(export_lines(backend, request, write, observer));
  TRY(file.publish());
  return report;
}

Result<Answer> run_export(Session& session, const Request& request, Caller& caller) {
  const bool overwrites = request.flag("overwrite");
  if (overwrites && !caller.is_person())
    return Error{ErrorKind::invalid_argument, "overwrite is for the command line only; name a file that is not there"};
  const ChosenPalace palace = TRY(session.palace());
  const ExportRequest what = {
      .palace = palace.ref,
      .collection = request.text("collection"),
      .vectors = request.flag("embeddings") ? ExportVectors::include : ExportVectors::leave_out,
      .access = session.options().access,
  };
  // A palace that is not there shows before a file is created.
  TRY(palace.backend->collections(palace.ref, what.access));
  const std::string output = output_of(request);
  if (output != kStream) TRY(check_output_place(output, palace, session.registry()));
  const ExportObserver observer = [&](const ExportProgress& progress) {
    caller.progress({.unit = "records", .done = progress.records, .total = progress.total});
  };
  const IfThere if_there = overwrites ? IfThere::replace : IfThere::fail;
  const LineSink stream = [&](std::string_view lines) { return caller.output(lines); };
  const ExportReport report =
      TRY(output == kStream ? export_lines(*palace.backend, what, stream, observer)
                            : export_to(output, if_there, *palace.backend, what, caller, observer));
  return Answer{{{"output", output},
                 {"collections", report.collections},
                 {"records", report.records},
                 {"without_vector", report.without_vector},
                 {"bytes", report.bytes}},
                Outcome::done,
                output == kStream};
}

// --- import ---

constexpr std::string_view kConflictChoices[] = {"skip", "update", "duplicate", "fail"};
constexpr Field kImportFields[] = {
    {.name = "input",
     .type = FieldType::path,
     .help = "the file of JSON lines to read; - for the standard input",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "FILE"},
    {.name = "on_conflict",
     .help = "what to do with a record whose id, or whose place in its source, is taken",
     .default_value = "\"skip\"",
     .choices = kConflictChoices,
     .placeholder = "WHAT"},
    {.name = "source_model",
     .help = "the model that made the vectors of lines that do not say it",
     .placeholder = "NAME"},
};
constexpr Example kImportExamples[] = {
    {"import palace.jsonl", "take up what an export wrote; what is there already stays"},
    {"import palace.jsonl --palace copy --on-conflict fail", "into another palace, or not at all"},
};

// Lines are listed one by one, but not without end.
class LineList {
 public:
  void add(Json line) {
    if (listed_.size() < kListed) {
      listed_.push_back(std::move(line));
    } else {
      ++left_out_;
    }
  }
  void move_to(Json& answer, const std::string& name) {
    answer[name] = std::move(listed_);
    answer[name + "_left_out"] = left_out_;
  }

 private:
  static constexpr std::size_t kListed = 100;
  Json listed_ = Json::array();
  std::size_t left_out_ = 0;
};

Result<Answer> import_from(std::istream& input, std::optional<std::uint64_t> size_bytes, Session& session,
                           const ChosenPalace& palace, const Request& request, Caller& caller) {
  const ImportRequest what = {
      .palace = palace.ref,
      .default_collection = palace.settings.collection.value,
      .on_conflict = parse_on_conflict(request.required_text("on_conflict")).value_or(OnConflict::skip),
      .source_model = request.text("source_model"),
  };
  LineList refusals;
  LineList renamed;
  std::size_t elsewhere = 0;
  const ImportObserver observer = {
      .line =
          [&](const ImportedLine& line) {
            if (line.outcome == ImportOutcome::refused) {
              refusals.add({{"line", line.line}, {"id", line.id}, {"reason", line.reason}});
              return;
            }
            if (line.collection != what.default_collection) ++elsewhere;
            if (line.stored_id == line.id) return;
            renamed.add({{"line", line.line},
                         {"outcome", to_string(line.outcome)},
                         {"id", line.id},
                         {"stored_id", line.stored_id}});
          },
      .progress =
          [&](const ImportReport& report) {
            caller.progress({.unit = "bytes", .done = report.bytes, .total = size_bytes});
          },
      .is_cancelled = [&] { return caller.is_cancelled(); },
  };
  const ImportReport report = TRY(import_lines(*palace.backend, what, input, observer));
  Json body = {{"palace", palace.settings.palace.string()}, {"lines", report.lines},     {"stored", report.stored},
               {"already_there", report.already_there},     {"updated", report.updated}, {"refused", report.refused}};
  refusals.move_to(body, "refusals");
  renamed.move_to(body, "under_another_id");
  // Who chose a collection should know that lines which name one went there all the same.
  const bool chose_collection = palace.settings.collection.origin == SettingOrigin::flag;
  body["in_other_collections"] = chose_collection ? elsewhere : 0;
  Answer answer{std::move(body), report.refused == 0 ? Outcome::done : Outcome::needs_attention};
  if (report.lines > 0) embed_now(session, palace, caller, answer);
  return answer;
}

Result<Answer> run_import(Session& session, const Request& request, Caller& caller) {
  const std::string path = request.required_text("input");
  const ChosenPalace palace = TRY(session.palace());
  if (path == kStream) {
    std::istream* input = caller.input();
    if (input == nullptr) return Error{ErrorKind::unsupported, "there is no standard input here; name a file"};
    return import_from(*input, std::nullopt, session, palace, request, caller);
  }
  std::error_code error;
  if (fs::is_directory(path, error))
    return Error{ErrorKind::invalid_argument, path + " is a folder; name a file in it"};
  static_cast<void>(caller.is_cancelled());  // from here on an interrupt waits until it is told what is stored
  std::ifstream input(path, std::ios::binary);
  if (!input) return io_error("cannot read", path, errno);
  const std::uintmax_t size_bytes = fs::file_size(path, error);
  return import_from(input, error ? std::nullopt : std::optional<std::uint64_t>(size_bytes), session, palace, request,
                     caller);
}

}  // namespace

constexpr Operation kExportOperation = {
    .name = "export",
    .summary = "Write all records as JSON lines, in a stable order.",
    .fields = kExportFields,
    .examples = kExportExamples,
    .effect = Effect::writes,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_export,
    .reads_when = "without output, for the standard output",
    .run = run_export,
};
constexpr Operation kImportOperation = {
    .name = "import",
    .summary = "Store records from JSON lines, and say what became of each.",
    .fields = kImportFields,
    .examples = kImportExamples,
    .effect = Effect::writes,
    .creates_palace = CreatesPalace::yes,
    .names_files = NamesFiles::yes,
    .stores_texts = StoresTexts::yes,
    .run = run_import,
};

}  // namespace loci
