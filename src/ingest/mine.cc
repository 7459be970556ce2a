#include "ingest/mine.h"

#include <set>
#include <utility>

#include "base/clock.h"
#include "ingest/drawer_keys.h"
#include "ingest/source_reader.h"

namespace loci {
namespace {

// What one transaction holds: enough that a commit costs little beside its rows, little enough that other writers get
// their turn and memory stays small.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr std::size_t kBatchSources = 512;

Error interrupted() { return {ErrorKind::unavailable, "the work was interrupted; run it again to go on"}; }

class Miner {
 public:
  Miner(Collection* drawers, const MineRequest& request, const MineScopes& scopes, const MineObserver& observer)
      : drawers_(drawers), request_(request), scopes_(scopes), observer_(observer) {
    for (const MineScope* scope : scopes_.all()) {
      recipes_.push_back(recipe_of(*scope));
      recipes_.back().context.filed_at = to_iso8601(request.now_unix_ms);
    }
  }

  Result<MineReport> run() {
    MinePlan plan = TRY(plan_mining(drawers_, scopes_, recipes_, request_.deleted, observer_.is_cancelled));
    TRY(look_for_moved_files(drawers_, plan));
    report_scopes();
    report_.files = plan.files;
    report_.unchanged = plan.unchanged;
    report_.passed_over = std::move(plan.passed_over);
    for (const std::size_t number : plan.unmatched) report_.unmatched.push_back(request_.include[number]);
    progress_.bytes_in_all = plan.bytes_to_read;
    // First, so that a run that is interrupted goes on with what was said.
    if (request_.run == MineRun::store) TRY(scopes_.folders.store(*drawers_));
    if (!plan.to_read.empty()) TRY(store_files(plan));
    report_.gone = plan.gone.rest();
    report_.left_out = std::move(plan.left_out);
    TRY(count_rooms());
    return std::move(report_);
  }

 private:
  void report_scopes() {
    const MineScope& main = scopes_.main;
    report_.root = main.walk.start;
    report_.project_root = main.walk.project_root;
    report_.wing = main.wing;
    report_.mode = main.importer->mode;
    report_.chunk_characters = main.chunk_characters;
    report_.kept = scopes_.kept;
    for (const MineScope& part : scopes_.parts) {
      if (part.wing != main.wing || part.importer != main.importer || part.chunk_characters != main.chunk_characters) {
        report_.kept_parts.push_back(
            {part.walk.start.string(), part.wing, std::string(part.importer->mode), part.chunk_characters});
      }
    }
  }

  Status store_files(MinePlan& plan) {
    SourceReader reader({.recipes = recipes_,
                         .drawers = drawers_,
                         .files = plan.to_read,
                         .gone = plan.gone,
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
      if (!file.passed_over) ++count_of(file, source);
      if (source.replaced_nuls > 0) report_.nuls.push_back({source.update.name, source.replaced_nuls});
      batch_.push_back(std::move(source.update));
      places_of_batch_.emplace_back(recipes_[file.scope].context.wing, std::move(source.room));
    }
    batch_bytes_ += file.text_bytes;
    if (batch_bytes_ >= kBatchBytes || batch_.size() >= kBatchSources) return flush();
    return {};
  }

  std::size_t& count_of(const ReadFile& file, const ImportedSource& source) {
    if (file.is_known) return file.is_same ? report_.unchanged : report_.changed;
    return source.update.renamed_from ? report_.renamed : report_.added;
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
      if (reports[i].stored > 0) report_.rooms[places_of_batch_[i]].stored += reports[i].stored;
    }
    progress_.drawers = report_.drawers.stored;
    batch_.clear();
    places_of_batch_.clear();
    batch_bytes_ = 0;
    return {};
  }

  Status count_rooms() {
    if (drawers_ == nullptr) return {};
    std::set<std::string> wings;
    for (const MineScope* scope : scopes_.all()) wings.insert(scope->wing);
    const std::vector<std::string> keys = {std::string(kWingKey), std::string(kRoomKey)};
    for (const GroupCount& group : TRY(drawers_->count_by(keys))) {
      if (group.values[0] && group.values[1] && wings.contains(*group.values[0]))
        report_.rooms[{*group.values[0], *group.values[1]}].drawers = group.count;
    }
    return {};
  }

  Collection* const drawers_;
  const MineRequest& request_;
  const MineScopes& scopes_;
  const MineObserver& observer_;
  std::vector<Recipe> recipes_;  // of the scopes
  MineReport report_;
  MineProgress progress_;
  std::vector<SourceUpdate> batch_;
  std::vector<std::pair<std::string, std::string>> places_of_batch_;  // beside batch_: wing and room
  std::size_t batch_bytes_ = 0;
};

}  // namespace

Result<MineReport> mine(Collection* drawers, const MineRequest& request, const MineScopes& scopes,
                        const MineObserver& observer) {
  if (drawers == nullptr && request.run == MineRun::store)
    return Error{ErrorKind::internal, "mining needs a collection to store in"};
  return Miner(drawers, request, scopes, observer).run();
}

Result<MineReport> mine(Collection* drawers, const MineRequest& request, const MineObserver& observer) {
  const MineScopes scopes = TRY(resolve_scopes(drawers, request));
  return mine(drawers, request, scopes, observer);
}

}  // namespace loci
