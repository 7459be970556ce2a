#include "tests/crash/power_loss_state.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace loci::crash {
namespace {

constexpr std::size_t kSectorBytes = 512;

thread_local int layers_entered = 0;

void apply(const Mutation& mutation, std::vector<std::uint8_t>& content) {
  if (mutation.truncated_to) {
    content.resize(static_cast<std::size_t>(*mutation.truncated_to));
    return;
  }
  const auto offset = static_cast<std::size_t>(mutation.offset);
  if (content.size() < offset + mutation.bytes.size()) content.resize(offset + mutation.bytes.size());
  std::copy(mutation.bytes.begin(), mutation.bytes.end(), content.begin() + mutation.offset);
}

}  // namespace

DiskState disk;

InsideLayer::InsideLayer() { ++layers_entered; }
InsideLayer::~InsideLayer() { --layers_entered; }
bool InsideLayer::is_entered() { return layers_entered > 0; }

bool power_is_on() {
  if (disk.has_failed) return false;
  ++disk.operations;
  if (disk.fail_at != 0 && disk.operations == disk.fail_at) disk.has_failed = true;
  return !disk.has_failed;
}

FileState& state_of(const std::string& name) {
  const auto [found, is_new] = disk.files.try_emplace(name);
  FileState& state = found->second;
  if (!is_new) return state;
  std::ifstream there(name, std::ios::binary);
  state.synced.assign(std::istreambuf_iterator<char>(there), {});
  state.was_synced = !state.synced.empty();
  return state;
}

void apply_unsynced(FileState& state) {
  for (const Mutation& mutation : state.unsynced) apply(mutation, state.synced);
  state.unsynced.clear();
}

void sync_names(const std::filesystem::path& folder) {
  for (auto& [name, state] : disk.files) {
    if (std::filesystem::path(name).parent_path() != folder) continue;
    state.was_synced = state.was_synced || !state.was_removed;
    state.removal_is_synced = state.was_removed;
  }
}

void give_name(const std::string& from, const std::string& to) {
  const FileState named = state_of(from);
  FileState& state = disk.files[to] = named;
  state.was_synced = false;
  state.was_removed = false;
}

bool may_be_there(const FileState& state, Survivors survivors, std::mt19937& random) {
  if (survivors == Survivors::none) return state.was_synced;
  if (survivors == Survivors::all) return !state.was_removed;
  return (state.was_synced && !state.was_removed) || random() % 2 == 0;
}

std::vector<std::uint8_t> survivors_of(const FileState& state, Survivors survivors, std::mt19937& random) {
  std::vector<std::uint8_t> content = state.synced;
  const auto coin = [&] { return random() % 2 == 0; };
  for (const Mutation& mutation : state.unsynced) {
    switch (survivors) {
      case Survivors::none: break;
      case Survivors::all: apply(mutation, content); break;
      case Survivors::some:
        if (coin()) apply(mutation, content);
        break;
      case Survivors::sectors:
        if (mutation.truncated_to) {
          if (coin()) apply(mutation, content);
          break;
        }
        for (std::size_t at = 0; at < mutation.bytes.size();) {
          const std::size_t to_boundary =
              kSectorBytes - (static_cast<std::size_t>(mutation.offset) + at) % kSectorBytes;
          const std::size_t size = std::min(to_boundary, mutation.bytes.size() - at);
          const auto from = mutation.bytes.begin() + static_cast<std::ptrdiff_t>(at);
          if (coin())
            apply(
                {mutation.offset + static_cast<std::int64_t>(at), {from, from + static_cast<std::ptrdiff_t>(size)}, {}},
                content);
          at += size;
        }
        break;
    }
  }
  return content;
}

}  // namespace loci::crash
