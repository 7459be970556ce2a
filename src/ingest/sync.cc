#include "ingest/sync.h"

#include <algorithm>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "ingest/conversation.h"
#include "ingest/known_sources.h"
#include "ingest/mined_folder.h"
#include "ingest/missing_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSourcesATransaction = 200;

// The folder as it would be called if it were there: links resolved as far as there is something to resolve.
Result<fs::path> resolve(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return io_error("cannot find", path, error.value());
  fs::path resolved = fs::weakly_canonical(absolute, error);
  if (error) return io_error("cannot find", path, error.value());
  if (!resolved.has_filename() && resolved.has_parent_path() && resolved != resolved.root_path())
    resolved = resolved.parent_path();
  return resolved;
}

Result<std::vector<std::string>> names_below(const Collection& drawers, const fs::path& root) {
  std::vector<std::string> names;
  for (SourceInfo& source : TRY(known_sources(drawers, root.string()))) names.push_back(std::move(source.name));
  return names;
}

Status remove(Collection& drawers, const std::vector<std::string>& names, SyncReport& report,
              const std::function<bool()>& is_cancelled) {
  for (std::size_t first = 0; first < names.size(); first += kSourcesATransaction) {
    if (is_cancelled()) return Error{ErrorKind::unavailable, "the work was interrupted; run it again to go on"};
    const std::size_t count = std::min(kSourcesATransaction, names.size() - first);
    report.removed_drawers += TRY(drawers.erase_sources(std::span(names).subspan(first, count)));
  }
  return {};
}

// Takes from the gone sources those whose whole folder is missing, and counts them by that folder.
std::vector<std::string> split_off_missing(const std::vector<std::string>& gone, SyncReport& report) {
  MissingFolders folders;
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> single;
  const std::string root = report.root.string();
  for (const std::string& name : gone) {
    const std::string file(file_of_source(name));
    // A root that is one file is gone like any other file of its folder.
    if (const auto folder = folders.topmost(file == root ? report.root.parent_path().string() : root, file)) {
      ++counts[*folder];
    } else {
      single.push_back(name);
    }
  }
  for (const auto& [path, sources] : counts) report.missing_folders.push_back({path, sources});
  report.root_is_missing = counts.contains(root);
  return single;
}

void add_unread(const MinePlan& plan, SyncReport& report) {
  report.unjudged = plan.unjudged;
  for (const PassReason reason : {PassReason::unreadable, PassReason::vanished}) {
    if (const auto group = plan.passed_over.groups().find(reason); group != plan.passed_over.groups().end())
      report.unread.insert(report.unread.end(), group->second.named.begin(), group->second.named.end());
  }
}

}  // namespace

Result<SyncReport> sync_sources(Collection& drawers, const SyncRequest& request,
                                const std::function<bool()>& is_cancelled) {
  SyncReport report;
  report.root = TRY(resolve(request.path));
  const std::vector<std::string> names = TRY(names_below(drawers, report.root));
  if (look_for(report.root.string()) == OnDisk::gone) {
    report.gone = names;
  } else {
    const MineRequest what = {
        .path = report.root, .include = request.include, .max_file_bytes = request.max_file_bytes};
    const MineScopes scopes = TRY(resolve_scopes(&drawers, what));
    std::vector<Recipe> recipes;
    for (const MineScope* scope : scopes.all()) recipes.push_back(recipe_of(*scope));
    const MinePlan plan = TRY(plan_mining(&drawers, scopes, recipes, Deleted::hold_back, is_cancelled));
    report.gone = plan.gone.rest();
    report.left_out = plan.left_out;
    add_unread(plan, report);
  }
  const std::vector<std::string> certain =
      request.missing_root == MissingRoot::ask ? split_off_missing(report.gone, report) : report.gone;
  report.kept = names.size() - report.gone.size() - report.left_out.size();
  if (request.run == SyncRun::dry_run) return report;
  TRY(remove(drawers, certain, report, is_cancelled));
  TRY(remove(drawers, report.left_out, report, is_cancelled));
  TRY(forget_gone_folders(drawers, report.root.string()));
  return report;
}

}  // namespace loci
