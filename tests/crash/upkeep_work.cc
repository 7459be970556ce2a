#include "tests/crash/upkeep_work.h"

#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "base/sha256.h"
#include "loci/upkeep.h"
#include "ops/compare.h"
#include "ops/import.h"
#include "ops/migrate.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/schema.h"
#include "store/embedded/sqlite.h"
#include "store/palace_files.h"
#include "tests/crash/palace_check.h"

namespace loci::crash {
namespace {

namespace fs = std::filesystem;

constexpr int kRecords = 60;
constexpr int kDoubled = 20;
constexpr std::string_view kSettings = "{\n  \"embedder\": \"hash\"\n}\n";
constexpr std::string_view kBackup = "b.loci";

std::vector<Record> records() {
  std::vector<Record> made;
  for (int i = 0; i < kRecords; ++i) {
    Record& record = made.emplace_back();
    record.id = "id" + std::to_string(i);
    record.document = "text " + std::to_string(i) + " " + std::string(static_cast<std::size_t>(i * 20), 'x');
    record.embedding = Embedding{static_cast<float>(i + 1), 1, 2};
    record.details.emplace().key = UniqueKey{"/source.md", to_hex(sha256(record.document)), 0};
  }
  return made;
}

Status execute(const fs::path& palace, const std::string& sql) {
  const auto connection =
      TRY(embedded::open_connection(palace / embedded::kDatabaseName, embedded::OpenMode::read_write));
  return connection->execute(sql);
}

Status copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy(from, to, error);
  if (error) return Error{ErrorKind::io, "cannot copy " + from.string() + ": " + error.message()};
  return {};
}

Status prepare_nothing(const fs::path&, const fs::path&) { return {}; }

Status prepare_folder(const fs::path&, const fs::path& result) {
  fs::create_directories(result);
  return {};
}

std::vector<std::string> count_violations(const fs::path& palace, std::size_t wanted) {
  const auto backend = make_embedded_backend();
  const auto collection = backend->collection(PalaceRef::at(palace), "drawers", {});
  if (!collection.ok()) return {collection.error().message};
  const Result<std::size_t> count = (*collection)->count();
  if (!count.ok()) return {count.error().message};
  if (*count != wanted) return {std::to_string(*count) + " records instead of " + std::to_string(wanted)};
  return inconsistencies(PalaceRef::at(palace));
}

// The palace with its settings, all of its records and nothing else.
std::vector<std::string> copy_violations(const fs::path& palace) {
  std::vector<std::string> wrong = count_violations(palace, kRecords);
  const Result<std::string> settings = read_file(palace / kPalaceConfigurationName);
  if (!settings.ok() || *settings != kSettings) wrong.emplace_back("the settings did not come with the palace");
  return wrong;
}

UpkeepWork importing() {
  return {.name = "import",
          .prepare = prepare_nothing,
          .run = [](const fs::path& inputs, const fs::path& result) -> Status {
            std::stringstream lines(TRY(read_file(inputs / "lines.jsonl")));
            TRY(import_lines(*make_embedded_backend(), {.palace = PalaceRef::at(result)}, lines));
            return {};
          },
          .makes = {},
          .violations = [](const fs::path& result) { return count_violations(result, kRecords); }};
}

UpkeepWork mending_duplicates() {
  return {
      .name = "mend_duplicates",
      .prepare = [](const fs::path& inputs, const fs::path& result) { return copy_folder(inputs / "doubled", result); },
      .run = [](const fs::path&, const fs::path& result) -> Status {
        TRY(make_embedded_backend()->collection(PalaceRef::at(result), "drawers", {}));
        return {};
      },
      .makes = {},
      .violations = [](const fs::path& result) { return count_violations(result, kRecords - kDoubled / 2); }};
}

UpkeepWork migrating_a_schema() {
  static constexpr embedded::Migration kSteps[] = {
      {embedded::kSchemaVersion,
       [](embedded::Connection& c) { return c.execute("ALTER TABLE documents ADD COLUMN colour TEXT"); }},
      {embedded::kSchemaVersion + 1,
       [](embedded::Connection& c) { return c.execute("UPDATE documents SET colour = 'red'"); }}};
  return {
      .name = "migrate_schema",
      .prepare = [](const fs::path& inputs, const fs::path& result) { return copy_folder(inputs / "whole", result); },
      .run = [](const fs::path&, const fs::path& result) -> Status {
        const auto connection =
            TRY(embedded::open_connection(result / embedded::kDatabaseName, embedded::OpenMode::read_write));
        embedded::Transaction transaction =
            TRY(embedded::Transaction::begin(*connection, embedded::Transaction::Kind::write));
        TRY(embedded::migrate_schema(*connection, kSteps, embedded::kSchemaVersion + 2));
        return transaction.commit();
      },
      .makes = {},
      .violations = [](const fs::path& result) -> std::vector<std::string> {
        const auto connection =
            embedded::open_connection(result / embedded::kDatabaseName, embedded::OpenMode::read_write);
        if (!connection.ok()) return {connection.error().message};
        const auto red = (*connection)->query_integer("SELECT count(*) FROM documents WHERE colour = 'red'");
        if (!red.ok() || *red != kRecords) return {"a migrated row is missing"};
        return inconsistent_tables(PalaceRef::at(result));
      }};
}

UpkeepWork migrating_a_palace() {
  return {
      .name = "migrate",
      .prepare = prepare_nothing,
      .run = [](const fs::path& inputs, const fs::path& result) -> Status {
        const auto backend = make_embedded_backend();
        const auto record = TRY(read_migration_record(*backend, PalaceRef::at(result), Access::read_only));
        if (record && record->phase == MigrationPhase::complete) return {};
        TRY(migrate(*backend, *backend, {.source = PalaceRef::at(inputs / "whole"), .target = PalaceRef::at(result)}));
        return {};
      },
      .makes = {},
      .violations = [](const fs::path& result) { return count_violations(result, kRecords); }};
}

UpkeepWork backing_up() {
  return {.name = "backup",
          .prepare = prepare_folder,
          .run = [](const fs::path& inputs, const fs::path& result) -> Status {
            TRY(make_embedded_backend()->upkeep()->backup(PalaceRef::at(inputs / "whole"), result / kBackup));
            return {};
          },
          .makes = std::string(kBackup),
          .violations = [](const fs::path& result) -> std::vector<std::string> {
            const PalaceRef restored = PalaceRef::at(result / "restored");
            const auto done = make_embedded_backend()->upkeep()->restore(result / kBackup, restored);
            if (!done.ok()) return {done.error().message};
            return copy_violations(*restored.local_path);
          }};
}

UpkeepWork restoring() {
  return {.name = "restore",
          .prepare = prepare_nothing,
          .run = [](const fs::path& inputs, const fs::path& result) -> Status {
            TRY(make_embedded_backend()->upkeep()->restore(inputs / kBackup, PalaceRef::at(result)));
            return {};
          },
          .makes = std::string(embedded::kDatabaseName),
          .violations = copy_violations};
}

UpkeepWork saving() {
  return {.name = "repair",
          .prepare = prepare_nothing,
          .run = [](const fs::path& inputs, const fs::path& result) -> Status {
            const SalvageReport report = TRY(
                make_embedded_backend()->upkeep()->salvage(PalaceRef::at(inputs / "damaged"), PalaceRef::at(result)));
            if (report.losses.empty()) return {};
            // What could not be read was told; whoever sees that tries again.
            std::error_code ignored;
            fs::remove_all(result, ignored);
            return Error{ErrorKind::corruption, report.losses.front()};
          },
          .makes = std::string(embedded::kDatabaseName),
          .violations = copy_violations};
}

}  // namespace

const std::vector<UpkeepWork>& upkeep_works() {
  static const std::vector<UpkeepWork> kWorks = {
      importing(), mending_duplicates(), migrating_a_schema(), migrating_a_palace(), backing_up(), restoring(),
      saving()};
  return kWorks;
}

Status make_upkeep_inputs(const fs::path& inputs) {
  const fs::path whole = inputs / "whole";
  std::string lines;
  {
    const auto backend = make_embedded_backend();
    const auto drawers = TRY(backend->collection(PalaceRef::at(whole), "drawers", {.if_missing = IfMissing::create}));
    TRY(drawers->add(records()));
  }
  for (const Record& record : records())
    lines += "{\"id\": \"" + record.id + "\", \"document\": \"" + record.document + "\"}\n";
  TRY(write_file_atomically(inputs / "lines.jsonl", lines));
  TRY(copy_folder(whole, inputs / "doubled"));
  TRY(execute(inputs / "doubled",
              "DROP INDEX records_by_key; UPDATE records SET content_hash = (SELECT content_hash FROM records r "
              "WHERE r.row = records.row + 1) WHERE row <= " +
                  std::to_string(kDoubled) + " AND row % 2 = 1"));
  TRY(write_file_atomically(whole / kPalaceConfigurationName, kSettings));
  TRY(make_embedded_backend()->upkeep()->backup(PalaceRef::at(whole), inputs / kBackup));
  TRY(copy_folder(whole, inputs / "damaged"));
  // Without its first page nothing tells where the tables are; all of their rows are there.
  std::string damaged = TRY(read_file(inputs / "damaged" / embedded::kDatabaseName));
  std::fill_n(damaged.begin(), 4096, '\0');
  return write_file_atomically(inputs / "damaged" / embedded::kDatabaseName, damaged);
}

}  // namespace loci::crash
