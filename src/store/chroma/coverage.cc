#include "store/chroma/coverage.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "store/chroma/database_damage.h"
#include "store/chroma/examination.h"
#include "store/chroma/finding_text.h"
#include "store/chroma/segment_name.h"
#include "store/sqlite/cancellation.h"

namespace loci::chroma {
namespace {

enum class DatabaseState { filled, empty };

// Folders beside the database that no collection knows. Where the database has nothing at all, what they hold is all
// that there is.
void look_at_strangers(const std::filesystem::path& folder, const std::set<std::string, std::less<>>& segments,
                       DatabaseState database, std::vector<Finding>& findings) {
  std::vector<std::filesystem::path> strangers;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) continue;
    const std::string name = entry->path().filename().string();
    const std::string_view segment = segment_of_copy(name).value_or(name);
    if (is_segment_name(segment) && !segments.contains(segment)) strangers.push_back(entry->path());
  }
  std::sort(strangers.begin(), strangers.end());
  const Remedies remedies(folder);
  for (const std::filesystem::path& each : strangers) {
    const Result<std::shared_ptr<const SegmentFolder>> opened = SegmentFolder::open(each, {});
    const std::size_t held = opened.ok() && *opened ? (*opened)->labels().labels.size() : 0;
    const std::string name = each.filename().string();
    if (database == DatabaseState::empty && (held > 0 || (opened.ok() && *opened && (*opened)->slots() > 0))) {
      findings.push_back({"lost database",
                          name + " holds an index that names " + vectors_text(held) + ", and " +
                              std::string(kDatabaseName) + " has nothing: its texts and metadata were lost",
                          remedies.copy() + " brings the vectors out; bring " + std::string(kDatabaseName) +
                              " back from a backup for the rest"});
      continue;
    }
    const bool is_copy = segment_of_copy(name).has_value();
    findings.push_back({is_copy ? "quarantined copy" : "orphan folder",
                        name + " belongs to no collection; it names " + vectors_text(held) +
                            (is_copy ? "" : ", as Chroma leaves them behind when a collection is deleted"),
                        "delete the folder if nothing of it is needed", false});
  }
}

// Errors by which a file shows that it is damaged, or not Chroma's.
bool is_damage(const Error& error) {
  return error.kind == ErrorKind::corruption || error.kind == ErrorKind::internal || error.kind == ErrorKind::io ||
         error.kind == ErrorKind::version_mismatch;
}

Status look_at_collections(FolderPalace& palace, Connection& connection, const SchemaVersions& versions,
                           VerifyDepth depth, VerifyReport& report) {
  std::set<std::string, std::less<>> segments;
  for (const CollectionRow& row : TRY(list_collections(connection, versions))) {
    segments.insert(row.vector_segment);
    const auto examined = [&]() -> Result<Coverage> {
      const std::shared_ptr<const Recovered> vectors = TRY(palace.vectors(connection, row));
      return examine_collection(palace, connection, versions, row, *vectors, depth);
    }();
    if (!examined.ok() && !is_damage(examined.error())) return examined.error();
    Coverage coverage = examined.ok() ? *examined : Coverage{.name = row.name, .space = {}};
    if (!examined.ok()) {
      coverage.space = to_string(row.space.metric);
      coverage.findings.push_back({"unreadable", examined.error().message, Remedies(palace.folder()).copy()});
    }
    report.records += coverage.rows;
    report.collections.push_back(std::move(coverage));
  }
  look_at_strangers(palace.folder(), segments, DatabaseState::filled, report.findings);
  return {};
}

void add_damage(const FolderPalace& palace, std::string detail, VerifyReport& report) {
  report.findings.push_back(
      {"damaged database", std::move(detail), Remedies(palace.folder()).copy() + " saves what can be read"});
}

Status look_at_database(const FolderPalace& palace, Connection& connection, VerifyDepth depth, VerifyReport& report) {
  const DamageDepth pages = depth == VerifyDepth::deep ? DamageDepth::tables : DamageDepth::pages;
  for (std::string& each : TRY(find_damage(connection, pages))) add_damage(palace, std::move(each), report);
  return {};
}

}  // namespace

Result<VerifyReport> examine_folder(FolderPalace& palace, VerifyDepth depth, const IsCancelled& is_cancelled) {
  VerifyReport report;
  report.checked = {
      "rows", "queue", "frontiers", "index files", "vectors", "copies and orphans", "pages of the database"};
  std::error_code failed;
  if (std::filesystem::file_size(palace.folder() / kDatabaseName, failed) == 0 && !failed) {
    report.findings.push_back({"empty database", "chroma.sqlite3 is an empty file", "", false});
    look_at_strangers(palace.folder(), {}, DatabaseState::empty, report.findings);
    return report;
  }
  const Status looked = palace.read([&](Connection& connection, const SchemaVersions& versions) -> Status {
    const sqlite::CancellableStatements cancellable(connection, is_cancelled);
    TRY(look_at_database(palace, connection, depth, report));
    return look_at_collections(palace, connection, versions, depth, report);
  });
  if (depth == VerifyDepth::deep) report.checked.emplace_back("indexes and words of the database");
  if (looked.ok()) return report;
  if (!is_damage(looked.error())) return looked.error();
  // Told by its pages already, as a rule.
  if (report.findings.empty()) add_damage(palace, looked.error().message, report);
  return report;
}

}  // namespace loci::chroma
