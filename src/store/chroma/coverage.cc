#include "store/chroma/coverage.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "store/chroma/examination.h"
#include "store/chroma/finding_text.h"
#include "store/chroma/segment_name.h"

namespace loci::chroma {
namespace {

// Folders beside the database that no collection knows.
void look_at_strangers(const std::filesystem::path& folder, const std::set<std::string, std::less<>>& segments,
                       std::vector<Finding>& findings) {
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
  for (const std::filesystem::path& each : strangers) {
    const Result<std::shared_ptr<const SegmentFolder>> opened = SegmentFolder::open(each, {});
    const std::size_t held = opened.ok() && *opened ? (*opened)->labels().labels.size() : 0;
    const std::string name = each.filename().string();
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
  look_at_strangers(palace.folder(), segments, report.findings);
  return {};
}

Status look_at_database(Connection& connection, VerifyReport& report) {
  Statement check = TRY(connection.prepare("PRAGMA integrity_check(5)"));
  while (TRY(check.step())) {
    if (check.text(0) == "ok") continue;
    report.findings.push_back({"damaged database", clean_text(check.text(0)),
                               "bring the folder back from a backup, or migrate what can be read"});
  }
  return {};
}

}  // namespace

Result<VerifyReport> examine_folder(FolderPalace& palace, VerifyDepth depth) {
  VerifyReport report;
  report.checked = {"rows", "queue", "frontiers", "index files", "vectors", "copies and orphans"};
  std::error_code failed;
  if (std::filesystem::file_size(palace.folder() / kDatabaseName, failed) == 0 && !failed) {
    report.findings.push_back(
        {"empty database", "chroma.sqlite3 is an empty file: nothing was stored in it yet", "", false});
    look_at_strangers(palace.folder(), {}, report.findings);
    return report;
  }
  const Status looked = palace.read([&](Connection& connection, const SchemaVersions& versions) -> Status {
    TRY(look_at_collections(palace, connection, versions, depth, report));
    if (depth == VerifyDepth::deep) TRY(look_at_database(connection, report));
    return {};
  });
  if (depth == VerifyDepth::deep) report.checked.emplace_back("pages of the database");
  if (looked.ok()) return report;
  if (!is_damage(looked.error())) return looked.error();
  report.findings.push_back(
      {"damaged database", looked.error().message, "bring the folder back from a backup, or migrate what can be read"});
  return report;
}

}  // namespace loci::chroma
