#include "ingest/file_walk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"
#include "ingest/ignore_rules.h"
#include "ingest/missing_folder.h"

namespace loci {
namespace {

constexpr std::string_view kIgnoreFiles[] = {".gitignore", ".lociignore"};  // the stronger last
constexpr std::string_view kPalaceFile = "palace.db";
constexpr std::string_view kCacheTag = "CACHEDIR.TAG";  // marks a folder as a cache for every program
constexpr std::size_t kIgnoreFileLimitBytes = std::size_t{1} << 20;

struct Entry {
  std::string name;
  struct stat status = {};
  int error = 0;  // of stat
};

struct Listing {
  std::vector<Entry> entries;  // by name
  int error = 0;
  bool has(std::string_view name) const {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  }
};

// Closed again before its folders are entered: a deep tree does not need a descriptor for each level.
Listing list_folder(const std::string& path) {
  Listing listing;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) {
    listing.error = errno;
    return listing;
  }
  while (true) {
    errno = 0;
    const dirent* next = ::readdir(folder.get());
    if (next == nullptr) break;
    const std::string_view name = next->d_name;
    if (name == "." || name == "..") continue;
    Entry& entry = listing.entries.emplace_back();
    entry.name = name;
    if (::fstatat(::dirfd(folder.get()), next->d_name, &entry.status, AT_SYMLINK_NOFOLLOW) != 0) entry.error = errno;
  }
  listing.error = errno;
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return listing;
}

std::string join(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path += name;
}

// Empty for the folder itself.
std::string path_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::string whole = path.string();
  const std::size_t length = folder.string().size() + (folder.string().ends_with('/') ? 0 : 1);
  return path == folder ? std::string() : whole.substr(length);
}

// Can the glob, which has slashes, match something below the folder? Compares folder by folder.
bool may_match_below(std::string_view glob, std::string_view folder) {
  while (!folder.empty()) {
    const std::size_t glob_end = glob.find('/');
    const std::size_t folder_end = std::min(folder.find('/'), folder.size());
    const std::string_view part = glob.substr(0, glob_end);
    if (part == "**") return true;
    if (glob_end == std::string_view::npos || !glob_matches(part, folder.substr(0, folder_end))) return false;
    glob.remove_prefix(glob_end + 1);
    folder.remove_prefix(std::min(folder_end + 1, folder.size()));
  }
  return true;
}

class Walk {
 public:
  Walk(const WalkRequest& request, const WalkVisitor& visitor)
      : request_(request),
        visitor_(visitor),
        include_prefix_(path_below(request.project_root, request.include_root)),
        is_matched_(request.include.size()) {
    if (!include_prefix_.empty()) include_prefix_ += '/';
  }

  Status run() {
    struct stat status = {};
    if (::stat(request_.start.c_str(), &status) != 0) return io_error("cannot read", request_.start, errno);
    if (!S_ISDIR(status.st_mode)) {
      take_file(request_.start.string(), status, true);
      return {};
    }
    const std::string relative = enter_folders_above();
    Listing listing = list_folder(request_.start.string());
    if (listing.error != 0) return io_error("cannot read the folder", request_.start, listing.error);
    TRY(walk_folder(request_.start.string(), relative, std::move(listing)));
    for (std::size_t i = 0; i < is_matched_.size(); ++i) {
      if (is_matched_[i]) visitor_.matched(i);
    }
    return {};
  }

 private:
  // Ignore files between the project's root and where we start. Returns the path from the root to the start.
  std::string enter_folders_above() {
    const std::string root = request_.project_root.string();
    const std::string relative = path_below(request_.start, request_.project_root);
    if (relative.empty()) return {};
    std::string folder;
    for (std::size_t end = 0; end != std::string::npos;) {
      rules_.enter(folder, ignore_texts(join(root, folder), nullptr));
      end = relative.find('/', folder.empty() ? 0 : folder.size() + 1);
      if (end != std::string::npos) folder = relative.substr(0, end);
    }
    return relative;
  }

  std::vector<std::string> ignore_texts(const std::string& folder, const Listing* listing) const {
    std::vector<std::string> texts;
    for (const std::string_view name : kIgnoreFiles) {
      if (listing != nullptr && !listing->has(name)) continue;
      const std::string file = join(folder, name);
      const Result<std::string> text = read_file(file, kIgnoreFileLimitBytes);
      if (text.ok()) {
        texts.push_back(*text);
      } else if (text.error().kind != ErrorKind::not_found || look_for(file) != OnDisk::gone) {
        pass(PassReason::unreadable, file, text.error().message);
      }
    }
    return texts;
  }

  Status walk_folder(const std::string& path, const std::string& relative, const Listing& listing) {
    rules_.enter(relative, ignore_texts(path, &listing));
    for (const Entry& entry : listing.entries) {
      if (visitor_.is_cancelled()) return Error{ErrorKind::unavailable, "the work was interrupted"};
      TRY(walk_entry(join(path, entry.name), join(relative, entry.name), entry));
    }
    rules_.leave();
    return {};
  }

  Status walk_entry(const std::string& path, const std::string& relative, const Entry& entry) {
    if (std::binary_search(request_.apart.begin(), request_.apart.end(), path)) return {};
    if (!is_valid_utf8(entry.name)) {
      pass(PassReason::bad_name, path, "the name is not UTF-8; rename it");
    } else if (entry.error != 0) {
      pass(entry.error == ENOENT ? PassReason::vanished : PassReason::unreadable, path, std::strerror(entry.error));
    } else if (S_ISDIR(entry.status.st_mode)) {
      return walk_subfolder(path, relative, entry.name);
    } else if (const std::optional<PassReason> reason = reason_against(relative, entry.name, EntryKind::file)) {
      pass(*reason, path);
    } else if (S_ISLNK(entry.status.st_mode)) {
      pass(PassReason::symbolic_link, path);
    } else {
      take_file(path, entry.status, is_included(relative, EntryKind::file));
    }
    return {};
  }

  Status walk_subfolder(const std::string& path, const std::string& relative, const std::string& name) {
    const std::optional<PassReason> reason = reason_against(relative, name, EntryKind::folder);
    if (is_never_entered(name) || (reason && !may_hold_included(relative))) {
      pass(reason.value_or(PassReason::tool_folder), path + "/");
      return {};
    }
    Listing listing = list_folder(path);
    if (listing.error != 0) {
      pass(listing.error == ENOENT ? PassReason::vanished : PassReason::unreadable, path + "/",
           std::strerror(listing.error));
      return {};
    }
    if (listing.has(kPalaceFile)) {
      pass(PassReason::own_store, path + "/");
      return {};
    }
    if (listing.has(kCacheTag) && !may_hold_included(relative)) {
      pass(PassReason::tool_folder, path + "/");
      return {};
    }
    const bool is_inside = reason || (inside_passed_over_ && !is_included(relative, EntryKind::folder));
    const bool was_inside = std::exchange(inside_passed_over_, is_inside);
    TRY(walk_folder(path, relative, std::move(listing)));
    inside_passed_over_ = was_inside;
    return {};
  }

  bool is_included(const std::string& relative, EntryKind kind) const {
    return verdict_of(request_.include, include_prefix_ + relative, kind).value_or(false);
  }

  std::optional<PassReason> reason_against(const std::string& relative, std::string_view name, EntryKind kind) {
    for (std::size_t i = 0; i < is_matched_.size(); ++i)
      is_matched_[i] = is_matched_[i] || request_.include[i].matches(include_prefix_ + relative, kind);
    if (is_included(relative, kind)) return std::nullopt;
    // Inside a folder that was entered for the sake of a few entries, all others stay out.
    if (inside_passed_over_ && kind == EntryKind::file) return PassReason::ignored;
    if (const auto reason = kind == EntryKind::folder ? reason_to_skip_folder(name) : reason_to_skip_file(name))
      return reason;
    if (verdict_of(request_.exclude, relative, kind).value_or(false)) return PassReason::excluded;
    return rules_.is_ignored(relative, kind) ? std::optional(PassReason::ignored) : std::nullopt;
  }

  // Does a pattern of --include name something below this folder?
  bool may_hold_included(const std::string& relative) const {
    const std::string folder = include_prefix_ + relative;
    return std::any_of(request_.include.begin(), request_.include.end(), [&](const IgnorePattern& pattern) {
      return !pattern.is_negated && (!pattern.is_anchored || may_match_below(pattern.glob, folder));
    });
  }

  void take_file(const std::string& path, const struct stat& status, bool is_asked_for) const {
    if (!S_ISREG(status.st_mode)) {
      pass(PassReason::special_file, path, "a pipe, socket or device");
    } else if (static_cast<std::uint64_t>(status.st_size) > request_.max_file_bytes) {
      pass(PassReason::too_large, path,
           too_large_detail(static_cast<std::uint64_t>(status.st_size), request_.max_file_bytes));
    } else {
      visitor_.found({path, stamp_of(status), is_asked_for});
    }
  }

  void pass(PassReason reason, const std::string& path, std::string detail = {}) const {
    visitor_.passed_over({reason, to_valid_utf8(path), std::move(detail)});
  }

  const WalkRequest& request_;
  const WalkVisitor& visitor_;
  IgnoreRules rules_;
  std::string include_prefix_;    // from there to the project's root
  std::vector<bool> is_matched_;  // beside `include`
  bool inside_passed_over_ = false;
};

}  // namespace

bool is_ignore_file(std::string_view name) {
  return std::find(std::begin(kIgnoreFiles), std::end(kIgnoreFiles), name) != std::end(kIgnoreFiles);
}

Status walk_files(const WalkRequest& request, const WalkVisitor& visitor) { return Walk(request, visitor).run(); }

}  // namespace loci
