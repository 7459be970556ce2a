#include "ingest/sync.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "ingest/conversation.h"

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

bool is_missing_or_empty(const fs::path& root) {
  std::error_code error;
  if (!fs::exists(root, error)) return true;
  return fs::is_directory(root, error) && fs::is_empty(root, error);
}

Result<std::vector<std::string>> names_below(const Collection& drawers, const fs::path& root) {
  const std::string start = root.string();
  const std::string below = start.ends_with('/') ? start : start + "/";
  std::vector<std::string> names;
  for (SourceInfo& source : TRY(drawers.sources(start))) {
    if (file_of_source(source.name) == start || source.name.starts_with(below)) names.push_back(std::move(source.name));
  }
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

}  // namespace

Result<SyncReport> sync_sources(Collection& drawers, const SyncRequest& request,
                                const std::function<bool()>& is_cancelled) {
  SyncReport report;
  report.root = TRY(resolve(request.path));
  const std::vector<std::string> names = TRY(names_below(drawers, report.root));
  if (is_missing_or_empty(report.root)) {
    report.gone = names;
    report.root_is_missing = !names.empty() && request.missing_root == MissingRoot::ask;
  } else {
    const MineScope scope =
        TRY(resolve_scope({.path = report.root, .include = request.include, .max_file_bytes = request.max_file_bytes}));
    const MinePlan plan = TRY(plan_mining(&drawers, scope.walk, "", is_cancelled));
    report.gone = plan.gone.rest();
    report.left_out = plan.left_out;
  }
  report.kept = names.size() - report.gone.size() - report.left_out.size();
  if (request.run == SyncRun::dry_run || report.root_is_missing) return report;
  TRY(remove(drawers, report.gone, report, is_cancelled));
  TRY(remove(drawers, report.left_out, report, is_cancelled));
  return report;
}

}  // namespace loci
