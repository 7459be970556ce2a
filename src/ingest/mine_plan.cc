#include "ingest/mine_plan.h"

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include <sys/stat.h>

#include "ingest/conversation.h"

namespace loci {
namespace {

enum class OnDisk { there, gone, unknown };

OnDisk look_for(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0) return OnDisk::there;
  return errno == ENOENT || errno == ENOTDIR ? OnDisk::gone : OnDisk::unknown;
}

// The sources at or below the path.
Result<std::vector<SourceInfo>> known_sources(const Collection* drawers, const std::string& start) {
  if (drawers == nullptr) return std::vector<SourceInfo>();
  const std::string below = start.ends_with('/') ? start : start + "/";
  std::vector<SourceInfo> sources = TRY(drawers->sources(start));
  std::erase_if(sources, [&](const SourceInfo& one) {
    return file_of_source(one.name) != start && !one.name.starts_with(below);
  });
  return sources;
}

// A file that is as it was when it was mined or passed over.
void take_unchanged(MinePlan& plan, const FoundFile& file, const SourceState& state) {
  if (!state.passed_over) {
    ++plan.unchanged;
    return;
  }
  --plan.files;
  plan.passed_over.add({*state.passed_over, file.path, std::string(advice_on(*state.passed_over))});
}

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

void GoneSources::add(std::string name, const SourceState& state) {
  by_identity_.emplace(Identity(state.stamp.inode, state.stamp.size_bytes, state.stamp.modified_ns), name);
  by_hash_.emplace(state.content_hash, name);
  is_taken_.emplace(std::move(name), false);
}

std::optional<std::string> GoneSources::take(const FileStamp& stamp, const std::string& content_hash) {
  const auto first_free = [&](const auto& range) -> std::optional<std::string> {
    for (auto entry = range.first; entry != range.second; ++entry) {
      if (!std::exchange(is_taken_.at(entry->second), true)) return entry->second;
    }
    return std::nullopt;
  };
  const Identity identity(stamp.inode, stamp.size_bytes, stamp.modified_ns);
  if (auto name = first_free(by_identity_.equal_range(identity))) return name;
  // Empty files are all alike.
  if (stamp.size_bytes == 0) return std::nullopt;
  return first_free(by_hash_.equal_range(content_hash));
}

std::vector<std::string> GoneSources::rest() const {
  std::vector<std::string> names;
  for (const auto& [name, is_taken] : is_taken_) {
    if (!is_taken) names.push_back(name);
  }
  return names;
}

Result<MinePlan> plan_mining(const Collection* drawers, const WalkRequest& request, const std::string& recipe,
                             const std::function<bool()>& is_cancelled) {
  MinePlan plan;
  const std::vector<SourceInfo> sources = TRY(known_sources(drawers, request.start.string()));
  // By file; a file of conversations has many sources, which all carry its state.
  std::unordered_multimap<std::string_view, const SourceInfo*> unseen;
  unseen.reserve(sources.size());
  for (const SourceInfo& source : sources) unseen.emplace(file_of_source(source.name), &source);

  const WalkVisitor visitor = {
      .found =
          [&](FoundFile file) {
            ++plan.files;
            const auto [first, last] = unseen.equal_range(file.path);
            const bool is_known = first != last;
            std::optional<SourceState> state;
            bool is_unchanged = is_known;
            for (auto known = first; known != last && is_unchanged; ++known) {
              state = parse_source_state(known->second->state);
              is_unchanged = state && state->stamp == file.stamp && state->recipe == recipe;
            }
            unseen.erase(first, last);
            if (is_unchanged) {
              take_unchanged(plan, file, *state);
              return;
            }
            plan.bytes_to_read += file.stamp.size_bytes;
            plan.to_read.push_back({std::move(file), is_known});
          },
      .passed_over = [&](PassedOver item) { plan.passed_over.add(std::move(item)); },
      .is_cancelled = is_cancelled,
  };
  TRY(walk_files(request, visitor));

  for (const auto& [name, source] : unseen) {
    const OnDisk where = look_for(std::string(file_of_source(source->name)));
    if (where == OnDisk::there) plan.left_out.push_back(source->name);
    if (where == OnDisk::gone) plan.gone.add(source->name, parse_source_state(source->state).value_or(SourceState{}));
  }
  std::sort(plan.left_out.begin(), plan.left_out.end());
  return plan;
}

}  // namespace loci
