#include "ingest/mine_plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ingest/conversation.h"
#include "ingest/drawer_keys.h"
#include "ingest/known_sources.h"
#include "ingest/missing_folder.h"

namespace loci {
namespace {

constexpr std::size_t kMostComparedSources = 500;  // by their records, which the store is asked for

// Files and, with a slash at their end, folders that the walk could not look into, or whose rules it does not know.
class UnreadPlaces {
 public:
  void note(const PassedOver& item) {
    if (item.reason != PassReason::unreadable && item.reason != PassReason::vanished) return;
    places_.insert(item.path);
    const std::size_t name = item.path.rfind('/') + 1;
    if (is_ignore_file(std::string_view(item.path).substr(name))) places_.insert(item.path.substr(0, name));
  }

  bool cover(std::string_view file) const {
    if (places_.empty()) return false;
    for (std::size_t slash = file.find('/'); slash != std::string_view::npos; slash = file.find('/', slash + 1)) {
      if (places_.contains(file.substr(0, slash + 1))) return true;
    }
    return places_.contains(file);
  }

 private:
  std::set<std::string, std::less<>> places_;
};

class Planner {
 public:
  Planner(const MineScopes& scopes, std::span<const Recipe> recipes, Deleted deleted,
          const std::function<bool()>& is_cancelled)
      : scopes_(scopes), recipes_(recipes), deleted_(deleted), is_cancelled_(is_cancelled) {}

  Result<MinePlan> plan(const Collection* drawers) {
    const std::string start = scopes_.main.walk.start.string();
    if (drawers != nullptr) sources_ = TRY(known_sources(*drawers, start));
    unseen_.reserve(sources_.size());
    for (const SourceInfo& source : sources_) unseen_.emplace(file_of_source(source.name), &source);
    TRY(walk_all());
    for (const auto& [name, source] : unseen_) judge(*source);
    std::sort(plan_.left_out.begin(), plan_.left_out.end());
    return std::move(plan_);
  }

 private:
  Status walk_all() {
    std::vector<bool> is_matched(scopes_.main.walk.include.size());
    const std::vector<const MineScope*> all = scopes_.all();
    for (std::size_t scope = 0; scope < all.size(); ++scope) {
      const WalkVisitor visitor = {
          .found = [&](FoundFile file) { take_found(std::move(file), scope); },
          .passed_over = [&](PassedOver item) { pass(std::move(item)); },
          .matched = [&](std::size_t number) { is_matched[number] = true; },
          .is_cancelled = is_cancelled_,
      };
      const WalkRequest& walk = all[scope]->walk;
      const Status walked = walk_files(walk, visitor);
      if (walked.ok()) continue;
      // A part is in the way of nothing else.
      if (scope == 0 || walked.error().kind == ErrorKind::unavailable) return walked;
      pass({PassReason::unreadable, walk.start.string() + "/", walked.error().message});
    }
    if (!std::filesystem::is_directory(scopes_.main.walk.start)) return {};
    for (std::size_t i = 0; i < is_matched.size(); ++i) {
      if (!is_matched[i]) plan_.unmatched.push_back(i);
    }
    return {};
  }

  void take_found(FoundFile file, std::size_t scope) {
    ++plan_.files;
    const auto [first, last] = unseen_.equal_range(file.path);
    const bool is_known = first != last;
    std::optional<SourceState> state;
    bool is_unchanged = is_known;
    bool has_erased = false;
    for (auto known = first; known != last; ++known) {
      state = parse_source_state(known->second->state);
      has_erased = has_erased || known->second->has_erased;
      is_unchanged = is_unchanged && state && state->stamp == file.stamp && state->recipe == recipes_[scope].hash &&
                     (state->is_asked_for || !file.is_asked_for);
    }
    unseen_.erase(first, last);
    if (has_erased && deleted_ == Deleted::restore) is_unchanged = false;
    if (is_unchanged) {
      take_unchanged(file, *state);
      return;
    }
    plan_.bytes_to_read += file.stamp.size_bytes;
    std::string hash_before = state ? state->content_hash : "";
    if (!has_erased) state.reset();
    plan_.to_read.push_back({std::move(file), scope, is_known, std::move(hash_before), std::move(state)});
  }

  // A file that is as it was when it was mined or passed over.
  void take_unchanged(const FoundFile& file, const SourceState& state) {
    if (!state.passed_over) {
      ++plan_.unchanged;
      return;
    }
    --plan_.files;
    plan_.passed_over.add({*state.passed_over, file.path, std::string(advice_on(*state.passed_over))});
  }

  void pass(PassedOver item) {
    unread_.note(item);
    plan_.passed_over.add(std::move(item));
  }

  // What became of a source whose file was not found.
  void judge(const SourceInfo& source) {
    const std::string_view file = file_of_source(source.name);
    const OnDisk where = unread_.cover(file) ? OnDisk::unknown : look_for(std::string(file));
    if (where == OnDisk::unknown) ++plan_.unjudged;
    const SourceState state = parse_source_state(source.state).value_or(SourceState{});
    if (where == OnDisk::there && !state.is_asked_for) plan_.left_out.push_back(source.name);
    if (where == OnDisk::gone) plan_.gone.add(source.name, state, GoneSources::Place::mined);
  }

  const MineScopes& scopes_;
  const std::span<const Recipe> recipes_;  // beside the scopes
  const Deleted deleted_;
  const std::function<bool()>& is_cancelled_;
  MinePlan plan_;
  std::vector<SourceInfo> sources_;
  // By file; a file of conversations has many sources, which all carry its state.
  std::unordered_multimap<std::string_view, const SourceInfo*> unseen_;
  UnreadPlaces unread_;
};

}  // namespace

void PassedOverList::add(PassedOver item) {
  Group& group = groups_[item.reason];
  ++group.count;
  if (group.named.size() < kNamedOfEach) group.named.push_back(std::move(item));
}

std::size_t PassedOverList::count(PassReason reason) const {
  const auto found = groups_.find(reason);
  return found == groups_.end() ? 0 : found->second.count;
}

void GoneSources::add(std::string name, const SourceState& state, Place place) {
  by_identity_.emplace(Identity(state.stamp.inode, state.stamp.size_bytes, state.stamp.modified_ns), name);
  if (place != Place::away) by_hash_.emplace(state.content_hash, name);
  sources_.emplace(std::move(name), Source{.place = place});
}

std::optional<std::string> GoneSources::take(const FileStamp& stamp, const std::string& content_hash) {
  const auto first_free = [&](const auto& range) -> std::optional<std::string> {
    for (auto entry = range.first; entry != range.second; ++entry) {
      if (!std::exchange(sources_.at(entry->second).is_taken, true)) return entry->second;
    }
    return std::nullopt;
  };
  const Identity identity(stamp.inode, stamp.size_bytes, stamp.modified_ns);
  if (auto name = first_free(by_identity_.equal_range(identity))) return name;
  // Empty files are all alike.
  if (stamp.size_bytes == 0) return std::nullopt;
  return first_free(by_hash_.equal_range(content_hash));
}

Result<std::optional<std::string>> GoneSources::take_alike(const Collection* drawers,
                                                           const std::vector<SourceRecord>& records) {
  TRY(load_records(drawers));
  std::set<std::string_view> hashes;
  for (const SourceRecord& record : records) hashes.insert(record.content_hash);
  std::map<std::string_view, std::size_t> shared;  // by source
  for (const std::string_view hash : hashes) {
    const auto [first, last] = by_record_hash_->equal_range(std::string(hash));
    for (auto entry = first; entry != last; ++entry) ++shared[entry->second];
  }
  const auto most =
      std::max_element(shared.begin(), shared.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == shared.end()) return std::optional<std::string>();
  const auto found = sources_.find(std::string(most->first));
  if (found->second.is_taken || most->second * 2 < found->second.records) return std::optional<std::string>();
  found->second.is_taken = true;
  return std::optional(found->first);
}

Status GoneSources::load_records(const Collection* drawers) {
  if (by_record_hash_) return {};
  by_record_hash_.emplace();
  const std::vector<std::string> names = rest();
  if (drawers == nullptr || names.empty() || names.size() > kMostComparedSources) return {};
  const Filter where =
      Filter::of({.key = std::string(kSourceKey), .op = FilterOperator::in, .operands = {names.begin(), names.end()}});
  const Include include = {.documents = false, .metadatas = false, .details = true};
  for (const Record& record : TRY(drawers->get({.selection = {.where = where}, .include = include}))) {
    const auto source =
        record.details && record.details->key ? sources_.find(record.details->key->source) : sources_.end();
    if (source == sources_.end()) continue;
    ++source->second.records;
    by_record_hash_->emplace(record.details->key->content_hash, source->first);
  }
  return {};
}

std::vector<std::string> GoneSources::rest() const {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources_) {
    if (!source.is_taken && source.place == Place::mined) names.push_back(name);
  }
  return names;
}

Result<MinePlan> plan_mining(const Collection* drawers, const MineScopes& scopes, std::span<const Recipe> recipes,
                             Deleted deleted, const std::function<bool()>& is_cancelled) {
  return Planner(scopes, recipes, deleted, is_cancelled).plan(drawers);
}

Status look_for_moved_files(const Collection* drawers, MinePlan& plan) {
  std::set<std::uint64_t> sizes;  // of new files: one that was moved has the size that it had
  for (const FileToRead& file : plan.to_read) {
    if (!file.is_known) sizes.insert(file.file.stamp.size_bytes);
  }
  if (drawers == nullptr || sizes.empty()) return {};
  MissingFolders folders;
  for (const SourceInfo& source : TRY(drawers->sources("/"))) {
    const std::optional<SourceState> state = parse_source_state(source.state);
    if (!state || !sizes.contains(state->stamp.size_bytes) || file_of_source(source.name) != source.name) continue;
    if (look_for(source.name) != OnDisk::gone) continue;
    const bool is_away = folders.topmost("/", source.name).has_value();
    plan.gone.add(source.name, *state, is_away ? GoneSources::Place::away : GoneSources::Place::elsewhere);
  }
  return {};
}

}  // namespace loci
