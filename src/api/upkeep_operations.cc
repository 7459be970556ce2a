// verify, backup, restore and repair: the files of a palace.
#include <filesystem>
#include <utility>

#include "api/caller.h"
#include "api/migration.h"
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
    {"verify --against ./old-palace", "did a migration bring everything over?"},
};

Result<Answer> run_verify(Session& session, const Request& request, Caller& caller) {
  if (request.text("against")) return verify_against(session, request, caller);
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const VerifyDepth depth = request.flag("deep") ? VerifyDepth::deep : VerifyDepth::quick;
  const VerifyReport report = TRY(upkeep->verify(palace.ref, depth));
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"check", finding.check}, {"detail", finding.detail}, {"fix", finding.fix}});
  }
  return Answer{{{"palace", palace.ref.id},
                 {"depth", depth == VerifyDepth::deep ? "deep" : "quick"},
                 {"records", report.records},
                 {"pending", report.pending},
                 {"checked", report.checked},
                 {"findings", std::move(findings)}},
                report.findings.empty() ? Outcome::done : Outcome::needs_attention};
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

Result<Answer> run_backup(Session& session, const Request& request, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const std::string file = request.required_text("file");
  const BackupReport report = TRY(upkeep->backup(palace.ref, file));
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

Result<Answer> run_restore(Session& session, const Request& request, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const std::string file = request.required_text("file");
  const BackupReport report = TRY(upkeep->restore(file, palace.ref));
  return Answer{{{"palace", palace.ref.id}, {"file", file}, {"records", report.records}, {"bytes", report.size_bytes}}};
}

// --- repair ---

constexpr Field kRepairFields[] = {
    {.name = "output",
     .type = FieldType::path,
     .help = "the folder of the new palace; it must not hold one",
     .is_required = true,
     .placeholder = "FOLDER"},
};
constexpr Example kRepairExamples[] = {
    {"repair --output saved", "bring every readable drawer of a damaged palace into a new one"},
};

Result<Answer> run_repair(Session& session, const Request& request, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  Upkeep* upkeep = TRY(upkeep_of(palace));
  const std::filesystem::path output = request.required_text("output");
  const SalvageReport report = TRY(upkeep->salvage(palace.ref, PalaceRef::at(std::filesystem::absolute(output))));
  const bool is_whole = report.lost == 0 && report.saved_in_part == 0;
  return Answer{{{"palace", palace.ref.id},
                 {"output", output.string()},
                 {"saved", report.saved},
                 {"saved_in_part", report.saved_in_part},
                 {"lost", report.lost},
                 {"losses", report.losses}},
                is_whole ? Outcome::done : Outcome::needs_attention};
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
    .summary = "Bring every readable drawer of a damaged palace into a new one; the old one is not touched.",
    .fields = kRepairFields,
    .examples = kRepairExamples,
    .names_files = NamesFiles::yes,
    .run = run_repair,
};

}  // namespace loci
