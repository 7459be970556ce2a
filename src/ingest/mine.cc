#include "ingest/mine.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "ingest/drawer_keys.h"
#include "ingest/importer.h"
#include "ingest/source_reader.h"
#include "text/place_name.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

// What one transaction holds: enough that a commit costs little beside its rows, little enough that other writers get
// their turn and memory stays small.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr std::size_t kBatchSources = 512;
constexpr std::size_t kRecipeDigits = 16;

Error interrupted() { return {ErrorKind::unavailable, "the work was interrupted; run it again to go on"}; }

// All that a drawer depends on besides its file.
std::string recipe_of(const Importer& importer, const MineScope& scope, const MineRequest& request) {
  std::string recipe;
  for (const std::string_view part :
       {importer.mode, importer.version, std::string_view(scope.wing), std::string_view(scope.config.text)}) {
    recipe += part;
    recipe += '\0';
  }
  recipe += std::to_string(request.chunk_characters);
  return to_hex(sha256(recipe)).substr(0, kRecipeDigits);
}

// A pattern as people write paths, from the project's root on: "./build/x.md" and the whole path of such a file.
std::string from_root(const std::string& pattern, const fs::path& path, const WalkRequest& walk) {
  if (pattern.starts_with("./")) return pattern.substr(1);
  const std::string root = walk.project_root.string();
  if (pattern.starts_with(root + "/")) return pattern.substr(root.size());
  std::error_code error;
  const std::string written = (fs::absolute(path, error).lexically_normal() / "").string();
  if (!pattern.starts_with(written)) return pattern;
  return from_root((walk.start / pattern.substr(written.size())).string(), path, walk);
}

class Miner {
 public:
  Miner(Collection* drawers, const MineRequest& request, const MineObserver& observer, MineScope scope)
      : drawers_(drawers), request_(request), observer_(observer), scope_(std::move(scope)) {}

  Result<MineReport> run(const Importer& importer) {
    const std::string recipe = recipe_of(importer, scope_, request_);
    MinePlan plan = TRY(plan_mining(drawers_, scope_.walk, recipe, request_.deleted, observer_.is_cancelled));
    TRY(look_for_moved_files(drawers_, plan));
    report_.root = scope_.walk.start;
    report_.wing = scope_.wing;
    report_.files = plan.files;
    report_.unchanged = plan.unchanged;
    report_.passed_over = std::move(plan.passed_over);
    for (const std::size_t number : plan.unmatched) report_.unmatched.push_back(request_.include[number]);
    progress_.bytes_in_all = plan.bytes_to_read;
    const ImportContext context = {.project_root = scope_.walk.project_root,
                                   .wing = scope_.wing,
                                   .config = scope_.config,
                                   .chunks = {.target_characters = request_.chunk_characters},
                                   .filed_at = to_iso8601(request_.now_unix_ms)};
    if (!plan.to_read.empty()) TRY(store_files(importer, context, plan, recipe));
    report_.gone = plan.gone.rest();
    report_.left_out = std::move(plan.left_out);
    TRY(count_rooms());
    return std::move(report_);
  }

 private:
  Status store_files(const Importer& importer, const ImportContext& context, MinePlan& plan,
                     const std::string& recipe) {
    SourceReader reader({.importer = importer,
                         .context = context,
                         .drawers = drawers_,
                         .files = plan.to_read,
                         .gone = plan.gone,
                         .recipe = recipe,
                         .max_file_bytes = request_.max_file_bytes,
                         .deleted = request_.deleted});
    while (std::optional<ReadFile> file = reader.next()) {
      if (observer_.is_cancelled()) return interrupted();
      TRY(take(std::move(*file)));
      observer_.progress(progress_);
    }
    TRY(reader.stop());
    return flush();
  }

  Status take(ReadFile file) {
    progress_.bytes += file.bytes;
    ++progress_.files;
    if (file.passed_over) {
      report_.passed_over.add(std::move(*file.passed_over));
      --report_.files;
    } else {
      report_.bytes += file.bytes;
    }
    for (ImportedSource& source : file.sources) {
      if (!file.passed_over)
        ++(file.is_known ? report_.changed : source.update.renamed_from ? report_.renamed : report_.added);
      if (source.replaced_nuls > 0) report_.nuls.push_back({source.update.name, source.replaced_nuls});
      batch_.push_back(std::move(source.update));
      rooms_of_batch_.push_back(std::move(source.room));
    }
    batch_bytes_ += file.text_bytes;
    if (batch_bytes_ >= kBatchBytes || batch_.size() >= kBatchSources) return flush();
    return {};
  }

  Status flush() {
    if (batch_.empty()) return {};
    std::vector<SourceReport> reports;
    if (request_.run == MineRun::store) {
      reports = TRY(drawers_->replace_sources(batch_));
    } else {
      for (const SourceUpdate& update : batch_) reports.push_back({.stored = update.records.size()});
    }
    for (std::size_t i = 0; i < reports.size(); ++i) {
      report_.drawers.stored += reports[i].stored;
      report_.drawers.moved += reports[i].moved;
      report_.drawers.unchanged += reports[i].unchanged;
      report_.drawers.removed += reports[i].removed;
      report_.drawers.held_back += reports[i].held_back;
      if (reports[i].removed > 0 && batch_[i].records.empty())
        report_.emptied.push_back({batch_[i].name, reports[i].removed});
      if (reports[i].stored > 0) report_.rooms[{scope_.wing, rooms_of_batch_[i]}].stored += reports[i].stored;
    }
    progress_.drawers = report_.drawers.stored;
    batch_.clear();
    rooms_of_batch_.clear();
    batch_bytes_ = 0;
    return {};
  }

  Status count_rooms() {
    if (drawers_ == nullptr) return {};
    const std::vector<std::string> keys = {std::string(kWingKey), std::string(kRoomKey)};
    for (const GroupCount& group : TRY(drawers_->count_by(keys))) {
      if (group.values[0] == scope_.wing && group.values[1])
        report_.rooms[{scope_.wing, *group.values[1]}].drawers = group.count;
    }
    return {};
  }

  Collection* const drawers_;
  const MineRequest& request_;
  const MineObserver& observer_;
  const MineScope scope_;
  MineReport report_;
  MineProgress progress_;
  std::vector<SourceUpdate> batch_;
  std::vector<std::string> rooms_of_batch_;  // beside batch_
  std::size_t batch_bytes_ = 0;
};

}  // namespace

Result<MineScope> resolve_scope(const MineRequest& request) {
  MineScope scope;
  std::error_code error;
  scope.walk.start = fs::canonical(request.path, error);
  if (error) return io_error("cannot read", request.path, error.value());
  if (!is_valid_utf8(scope.walk.start.string())) {
    return Error{ErrorKind::invalid_argument,
                 "the name of " + to_valid_utf8(scope.walk.start.string()) + " is not UTF-8; rename it"};
  }
  scope.walk.project_root = find_project_root(scope.walk.start);
  scope.config = TRY(load_project_config(scope.walk.project_root));
  scope.walk.exclude = scope.config.exclude;
  scope.walk.max_file_bytes = request.max_file_bytes;
  for (const std::string& line : request.include) {
    std::optional<IgnorePattern> pattern = IgnorePattern::parse(from_root(line, request.path, scope.walk));
    if (!pattern) return Error{ErrorKind::invalid_argument, "include has no pattern in " + line};
    scope.walk.include.push_back(std::move(*pattern));
  }
  scope.wing = request.wing ? *request.wing : scope.config.wing.value_or("");
  if (scope.wing.empty()) scope.wing = place_name_from(scope.walk.project_root.filename().string());
  if (scope.wing.empty()) scope.wing = kDefaultWing;
  return scope;
}

Result<MineReport> mine(Collection* drawers, const MineRequest& request, const MineObserver& observer) {
  const Importer* importer = find_importer(request.mode);
  if (importer == nullptr) return Error{ErrorKind::invalid_argument, "there is no way to mine called " + request.mode};
  if (drawers == nullptr && request.run == MineRun::store)
    return Error{ErrorKind::internal, "mining needs a collection to store in"};
  return Miner(drawers, request, observer, TRY(resolve_scope(request))).run(*importer);
}

}  // namespace loci
