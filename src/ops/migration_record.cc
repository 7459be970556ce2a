#include "ops/migration_record.h"

#include <memory>
#include <utility>

#include "base/clock.h"

namespace loci {
namespace {

constexpr std::string_view kId = "migration";
constexpr std::string_view kPhases[] = {"clearing", "copying", "complete"};

std::string text_at(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  const auto* text = found == metadata.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

std::int64_t number_at(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  const auto* number = found == metadata.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

// Names with commas between them: not every backend keeps lists.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

// For whoever reads the collection with another program.
std::string sentence(const MigrationRecord& record) {
  return "Migrated from " + record.source_backend + " at " + record.source + ": " + std::to_string(record.records) +
         " records, " + (record.refused > 0 ? std::to_string(record.refused) + " refused, " : "") +
         (record.is_lossless && record.refused == 0 ? "lossless" : "not lossless") + ", " +
         std::string(to_string(record.phase)) + ".";
}

}  // namespace

std::string_view to_string(MigrationPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

Result<std::optional<MigrationRecord>> read_migration_record(Backend& backend, const PalaceRef& palace, Access access) {
  const Result<std::shared_ptr<Collection>> collection =
      backend.collection(palace, kMigrationsCollection, {.access = access});
  if (!collection.ok()) {
    const ErrorKind kind = collection.error().kind;
    if (kind != ErrorKind::palace_not_found && kind != ErrorKind::collection_not_initialized) return collection.error();
    return std::optional<MigrationRecord>();
  }
  const std::vector<Record> found = TRY((*collection)->get({.selection = {.ids = {{std::string(kId)}}}}));
  if (found.empty()) return std::optional<MigrationRecord>();
  const Metadata& fields = found.front().metadata;
  const std::string phase = text_at(fields, "phase");
  MigrationRecord record = {.source_backend = text_at(fields, "source_backend"),
                            .source = text_at(fields, "source"),
                            .started_at = number_at(fields, "started_at"),
                            .finished_at = number_at(fields, "finished_at"),
                            .records = static_cast<std::size_t>(number_at(fields, "records")),
                            .missing = static_cast<std::size_t>(number_at(fields, "missing")),
                            .refused = static_cast<std::size_t>(number_at(fields, "refused")),
                            .is_lossless = text_at(fields, "lossless") == "yes",
                            .source_model = text_at(fields, "source_model"),
                            .target_model = text_at(fields, "target_model"),
                            .overrides = split(text_at(fields, "overrides"))};
  for (const MigrationPhase each : {MigrationPhase::clearing, MigrationPhase::copying, MigrationPhase::complete}) {
    if (phase != to_string(each)) continue;
    record.phase = each;
    return std::optional(std::move(record));
  }
  return Error{ErrorKind::corruption,
               "the migration record of " + palace.id + " cannot be read; --overwrite begins anew"};
}

Status write_migration_record(Backend& backend, const PalaceRef& palace, const MigrationRecord& record) {
  const std::shared_ptr<Collection> collection =
      TRY(backend.collection(palace, kMigrationsCollection, {.if_missing = IfMissing::create}));
  Record kept{.id = std::string(kId), .document = sentence(record), .embedding = Embedding{1}};
  kept.metadata = {{"phase", std::string(to_string(record.phase))},
                   {"source_backend", record.source_backend},
                   {"source", record.source},
                   {"started_at", record.started_at},
                   {"finished_at", record.finished_at},
                   {"records", static_cast<std::int64_t>(record.records)},
                   {"missing", static_cast<std::int64_t>(record.missing)},
                   {"refused", static_cast<std::int64_t>(record.refused)},
                   {"lossless", std::string(record.is_lossless ? "yes" : "no")},
                   {"source_model", record.source_model},
                   {"target_model", record.target_model},
                   {"overrides", joined(record.overrides)}};
  TRY(collection->upsert(std::span(&kept, 1)));
  return ok_status();
}

}  // namespace loci
