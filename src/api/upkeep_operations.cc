// verify, backup, restore, repair and quarantine: the files of a palace.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "api/caller.h"
#include "api/migration.h"
#include "api/output_place.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "loci/upkeep.h"

namespace loci {
namespace {

Result<Upkeep*> upkeep_of(const ChosenPalace& palace) {
  if (Upkeep* upkeep = palace.backend->upkeep()) return upkeep;
  return Error{ErrorKind::unsupported, "the backend " + palace.backend->info().name + " keeps no files of its own"};
}

// From here on an interrupt waits until what was begun is removed.
IsCancelled cancellation_by(const Caller& caller) {
  static_cast<void>(caller.is_cancelled());
  return [&caller] { return caller.is_cancelled(); };
}

Json to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"check", finding.check},
                    {"detail", finding.detail},
                    {"fix", finding.fix},
                    {"needs_attention", finding.needs_attention}});
  }
  return list;
}

bool needs_attention(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.needs_attention; });
}

// --- verify ---

constexpr Field kVerifyFields[] = {
    {.name = "deep", .type = FieldType::boolean, .help = "also read every text, vector and word"},
    {.name = "against",
     .help = "compare with the palace that this one was migrated from instead: every id, text and vector",
     .placeholder = "SOURCE"},
    {.name = "from", .help = "the backend of SOURCE; found out if not given", .placeholder = "BACKEND"},
};
constexpr Example kVerifyExamples[] = {
    {"verify", "does the palace hold together?"},
    {"verify --deep --json", "is everything as it was stored? For scripts"},
    {"verify --palace ~/.mempalace/palace", "which records of a Chroma folder have their vector?"},
    {"verify --against ./old-palace", "did a migration bring everything over?"},
};

Result<Answer> run_verify(Session& session, const Request& request, Caller& caller) {
  if (request.text("against")) return verify_against(session, request, caller);
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const VerifyDepth depth = request.flag("deep") ? VerifyDepth::deep : VerifyDepth::quick;
  const VerifyReport report = TRY(upkeep->verify(palace.ref, depth, cancellation_by(caller)));
  Json body = {{"palace", palace.ref.id},   {"depth", depth == VerifyDepth::deep ? "deep" : "quick"},
               {"records", report.records}, {"pending", report.pending},
               {"checked", report.checked}, {"findings", to_json(report.findings)}};
  bool is_well = !needs_attention(report.findings);
  if (!report.collections.empty()) body["collections"] = Json::array();
  for (const Coverage& collection : report.collections) {
    is_well = is_well && !needs_attention(collection.findings);
    body["collections"].push_back({{"name", collection.name},
                                   {"space", collection.space},
                                   {"dimension", collection.dimension ? Json(*collection.dimension) : Json()},
                                   {"rows", collection.rows},
                                   {"vectors", collection.vectors},
                                   {"missing", collection.missing},
                                   {"stale", collection.stale},
                                   {"ghosts", collection.ghosts},
                                   {"findings", to_json(collection.findings)}});
  }
  return Answer{std::move(body), is_well ? Outcome::done : Outcome::needs_attention};
}

// --- backup and restore ---

constexpr Field kBackupFields[] = {
    {.name = "file",
     .type = FieldType::path,
     .help = "the file to write; it must not exist",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "FILE"},
};
constexpr Example kBackupExamples[] = {
    {"backup today.loci", "a consistent copy, also while others write"},
};

Result<Answer> run_backup(Session& session, const Request& request, Caller& caller) {
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const std::string file = request.required_text("file");
  TRY(check_output_place(file, palace, session.registry()));
  const BackupReport report = TRY(upkeep->backup(palace.ref, file, cancellation_by(caller)));
  return Answer{{{"file", file}, {"records", report.records}, {"bytes", report.size_bytes}}};
}

constexpr Field kRestoreFields[] = {
    {.name = "file",
     .type = FieldType::path,
     .help = "a file that backup wrote",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "FILE"},
};
constexpr Example kRestoreExamples[] = {
    {"restore yesterday.loci --palace restored", "a new palace from a backup"},
};

Result<Answer> run_restore(Session& session, const Request& request, Caller& caller) {
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const std::string file = request.required_text("file");
  const BackupReport report = TRY(upkeep->restore(file, palace.ref, cancellation_by(caller)));
  return Answer{{{"palace", palace.ref.id}, {"file", file}, {"records", report.records}, {"bytes", report.size_bytes}}};
}

// --- repair ---

constexpr Field kRepairFields[] = {
    {.name = "output",
     .type = FieldType::path,
     .help = "the folder of the new palace; it must not hold one",
     .placeholder = "FOLDER"},
    {.name = "only",
     .help = "mend one kind of damage in place instead; of a Chroma folder: seq-ids",
     .placeholder = "KIND"},
    {.name = "apply", .type = FieldType::boolean, .help = "with --only: do it, and not only say what would be done"},
};
constexpr Example kRepairExamples[] = {
    {"repair --output saved", "bring every readable drawer of a damaged palace into a new one"},
    {"repair --palace ~/.mempalace/palace --only seq-ids", "which sequence numbers keep Chroma from opening it?"},
    {"repair --palace ~/.mempalace/palace --only seq-ids --apply", "mend them"},
};

Effect effect_of_applying(const Request& request) { return request.flag("apply") ? Effect::writes : Effect::reads; }
Effect effect_of_repair(const Request& request) {
  return request.text("output") ? Effect::writes : effect_of_applying(request);
}

Result<Answer> run_mend(Upkeep& upkeep, const ChosenPalace& palace, const Request& request) {
  const std::string kind = request.required_text("only");
  const MendReport report = TRY(upkeep.mend(palace.ref, kind, request.flag("apply") ? Apply::yes : Apply::no));
  Json changes = Json::array();
  for (const MendReport::Change& change : report.changes)
    changes.push_back({{"what", change.what}, {"from", change.from}, {"to", change.to}});
  return Answer{{{"palace", palace.ref.id},
                 {"only", kind},
                 {"applied", request.flag("apply")},
                 {"changed", report.changed},
                 {"changes", std::move(changes)},
                 {"left", to_json(report.left)}},
                needs_attention(report.left) ? Outcome::needs_attention : Outcome::done};
}

Result<Answer> run_repair(Session& session, const Request& request, Caller& caller) {
  if (request.text("output").has_value() == request.text("only").has_value()) {
    return Error{ErrorKind::invalid_argument,
                 "repair needs either output, the folder of a new palace, or only, what to mend in place"};
  }
  if (request.flag("apply") && !request.text("only"))
    return Error{ErrorKind::invalid_argument, "apply goes with only; a repair into a new folder changes nothing"};
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  if (request.text("only")) return run_mend(*upkeep, palace, request);
  const std::filesystem::path output = request.required_text("output");
  TRY(check_output_place(output, palace, session.registry()));
  const PalaceRef target = PalaceRef::at(std::filesystem::absolute(output));
  const SalvageReport report = TRY(upkeep->salvage(palace.ref, target, cancellation_by(caller)));
  const bool is_whole =
      report.lost == 0 && report.saved_in_part == 0 && report.unassigned == 0 && report.losses.empty();
  return Answer{{{"palace", palace.ref.id},
                 {"output", output.string()},
                 {"saved", report.saved},
                 {"saved_in_part", report.saved_in_part},
                 {"lost", report.lost},
                 {"unassigned", report.unassigned},
                 {"files", report.files},
                 {"losses", report.losses}},
                is_whole ? Outcome::done : Outcome::needs_attention};
}

// --- quarantine ---

constexpr double kStaleSeconds = QuarantineRequest().stale_seconds;

constexpr Field kQuarantineFields[] = {
    {.name = "stale_seconds",
     .type = FieldType::number,
     .help = "how much older than the database the files of an index may be",
     .default_value = "3600",
     .placeholder = "SECONDS"},
    {.name = "apply", .type = FieldType::boolean, .help = "rename, and not only say what would be renamed"},
    {.name = "force", .type = FieldType::boolean, .help = "also rename what holds vectors that are nowhere else"},
};
constexpr Example kQuarantineExamples[] = {
    {"quarantine --palace ~/.mempalace/palace", "which indexes lag behind the database, and may they go?"},
    {"quarantine --palace ~/.mempalace/palace --apply", "rename those that hold nothing of their own"},
};

Result<Answer> run_quarantine(Session& session, const Request& request, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  const bool applies = request.flag("apply");
  const double stale_seconds = request.number("stale_seconds").value_or(kStaleSeconds);
  if (stale_seconds < 0) return Error{ErrorKind::invalid_argument, "stale_seconds must not be negative"};
  QuarantineReport report;
  // Where there is no palace there is nothing to rename, and that is no mistake.
  if (palace.settings.backend.origin == SettingOrigin::flag || !palace.ref.local_path ||
      palace.backend->detect(*palace.ref.local_path)) {
    Upkeep* upkeep = TRY(upkeep_of(palace));
    report = TRY(upkeep->quarantine(palace.ref, {.stale_seconds = stale_seconds,
                                                 .apply = applies ? Apply::yes : Apply::no,
                                                 .with_losses = request.flag("force")}));
  }
  Json moved = Json::array();
  for (const QuarantineReport::Moved& each : report.moved)
    moved.push_back({{"from", each.from.string()}, {"to", each.to.string()}, {"gap_seconds", each.gap_seconds}});
  Json refused = Json::array();
  for (const QuarantineReport::Refused& each : report.refused) {
    refused.push_back({{"segment", each.segment},
                       {"collection", each.collection},
                       {"only_here", each.only_here},
                       {"gap_seconds", each.gap_seconds},
                       {"reason", each.reason}});
  }
  return Answer{
      {{"palace", palace.ref.id}, {"applied", applies}, {"moved", std::move(moved)}, {"refused", std::move(refused)}},
      report.refused.empty() ? Outcome::done : Outcome::needs_attention};
}

}  // namespace

constexpr Operation kVerifyOperation = {
    .name = "verify",
    .summary = "Examine the palace and say what is wrong and what mends it; change nothing.",
    .fields = kVerifyFields,
    .examples = kVerifyExamples,
    .run = run_verify,
};

constexpr Operation kBackupOperation = {
    .name = "backup",
    .summary = "Write a consistent, examined copy of the palace to one file.",
    .fields = kBackupFields,
    .examples = kBackupExamples,
    .effect = Effect::writes,
    .names_files = NamesFiles::yes,
    .run = run_backup,
};

constexpr Operation kRestoreOperation = {
    .name = "restore",
    .summary = "Make a palace from a backup.",
    .fields = kRestoreFields,
    .examples = kRestoreExamples,
    .effect = Effect::writes,
    .creates_palace = CreatesPalace::yes,
    .names_files = NamesFiles::yes,
    .run = run_restore,
};

constexpr Operation kRepairOperation = {
    .name = "repair",
    .summary = "Bring every readable drawer of a damaged palace into a new one, or mend one kind of damage in place.",
    .fields = kRepairFields,
    .examples = kRepairExamples,
    .effect = Effect::writes,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_repair,
    .reads_when = "with only and without apply",
    .run = run_repair,
};

constexpr Operation kQuarantineOperation = {
    .name = "quarantine",
    .summary = "Rename index folders of a Chroma folder that lag behind its database, unless vectors would be lost.",
    .fields = kQuarantineFields,
    .examples = kQuarantineExamples,
    .effect = Effect::writes,
    .effect_of = effect_of_applying,
    .reads_when = "without apply",
    .run = run_quarantine,
};

}  // namespace loci
