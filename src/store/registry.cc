#include "store/registry.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/contract.h"

namespace loci {
namespace {

// The number before the first dot; nothing for a text that has none.
std::optional<unsigned> major_version(std::string_view version) {
  const std::string_view digits = version.substr(0, version.find('.'));
  unsigned major = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), major);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return major;
}

bool is_said(const std::optional<std::string>& wish) { return wish && !wish->empty(); }

}  // namespace

std::string_view to_string(BackendOrigin origin) {
  switch (origin) {
    case BackendOrigin::code: return "code";
    case BackendOrigin::built_in: return "built in";
    case BackendOrigin::plug_in: return "plug-in";
  }
  return "unknown";
}

Status check_spec_version(std::string_view backend, std::string_view spec_version) {
  const std::optional<unsigned> major = major_version(spec_version);
  if (major && major == major_version(kSpecVersion)) return ok_status();
  return Error{ErrorKind::version_mismatch,
               fmt::format("backend {} is made for version {} of the storage contract; this program has version {}",
                           in_quotes(backend), in_quotes(spec_version), kSpecVersion)};
}

Status BackendRegistry::add(std::string_view name, BackendOrigin origin, BackendFactory factory) {
  if (name.empty()) return Error{ErrorKind::invalid_argument, "a backend needs a name"};
  const MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    entries_.emplace(name, Entry{.origin = origin, .factory = std::move(factory), .backend = nullptr});
    return ok_status();
  }
  Entry& entry = found->second;
  if (origin > entry.origin) return ok_status();
  if (origin == entry.origin) {
    return Error{ErrorKind::already_exists,
                 fmt::format("backend {} is registered twice ({})", in_quotes(name), to_string(origin))};
  }
  if (entry.backend != nullptr) {
    return Error{ErrorKind::already_exists,
                 fmt::format("backend {} is in use; register another one before the first use", in_quotes(name))};
  }
  entry.origin = origin;
  entry.factory = std::move(factory);
  return ok_status();
}

Result<Backend*> BackendRegistry::find(std::string_view name) {
  const MutexLock lock(mutex_);
  return find_locked(name);
}

Result<Backend*> BackendRegistry::find_locked(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    std::vector<std::string> known;
    for (const auto& [known_name, entry] : entries_) known.push_back(known_name);
    return Error{ErrorKind::not_found, fmt::format("there is no backend {}; there is {}", in_quotes(name),
                                                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))};
  }
  Entry& entry = found->second;
  if (entry.backend == nullptr) {
    std::unique_ptr<Backend> backend = TRY(entry.factory());
    if (backend == nullptr) {
      return Error{ErrorKind::internal, fmt::format("the factory of backend {} made nothing", in_quotes(name))};
    }
    TRY(check_spec_version(name, backend->info().spec_version));
    entry.backend = std::move(backend);
  }
  return entry.backend.get();
}

std::vector<std::string> BackendRegistry::names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::vector<std::string> BackendRegistry::detect(const std::filesystem::path& folder) {
  std::vector<std::string> detected;
  for (const std::string& name : names()) {
    const Result<Backend*> backend = find(name);
    if (backend.ok() && (*backend)->detect(folder)) detected.push_back(name);
  }
  return detected;
}

Status BackendRegistry::check_folder(std::string_view name, const std::filesystem::path& folder) {
  const std::vector<std::string> detected = detect(folder);
  if (detected.empty() || std::find(detected.begin(), detected.end(), name) != detected.end()) return ok_status();
  return Error{ErrorKind::invalid_argument,
               fmt::format("{} holds a palace of the backend {} and none of {}; say --backend {}, or choose another "
                           "--palace",
                           folder.string(), fmt::join(detected, ", "), name, detected.front())};
}

void BackendRegistry::close() {
  const MutexLock lock(mutex_);
  for (auto& [name, entry] : entries_) {
    if (entry.backend != nullptr) entry.backend->close();
  }
}

Result<BackendChoice> select_backend(const BackendWishes& wishes, PalaceState palace,
                                     FunctionRef<std::vector<std::string>()> detect) {
  if (is_said(wishes.flag)) return BackendChoice{*wishes.flag, BackendSource::flag};
  if (is_said(wishes.palace_configuration)) {
    return BackendChoice{*wishes.palace_configuration, BackendSource::palace_configuration};
  }
  if (is_said(wishes.environment)) return BackendChoice{*wishes.environment, BackendSource::environment};
  if (palace == PalaceState::existing) {
    const std::vector<std::string> detected = detect();
    if (detected.size() > 1) {
      return Error{ErrorKind::invalid_argument,
                   fmt::format("the palace's folder holds files of several backends ({}); say which with --backend",
                               fmt::join(detected, ", "))};
    }
    if (detected.size() == 1) return BackendChoice{detected.front(), BackendSource::detection};
  }
  return BackendChoice{wishes.default_name, BackendSource::default_name};
}

}  // namespace loci
