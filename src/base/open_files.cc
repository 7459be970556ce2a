#include "base/open_files.h"

#include <charconv>
#include <string>

#include <unistd.h>

namespace loci {
namespace {

std::optional<pid_t> process_of(const std::string& name) {
  pid_t process = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (failed != std::errc() || end != name.data() + name.size()) return {};
  return process;
}

}  // namespace

std::optional<OpenFile> file_opened_by_others(const std::filesystem::path& folder) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::canonical(folder, failed);
  if (failed) return {};
  const std::string prefix = whole.string() + "/";
  const std::filesystem::path ours = std::filesystem::read_symlink("/proc/self/exe", failed);
  for (std::filesystem::directory_iterator each("/proc", failed), end; !failed && each != end; each.increment(failed)) {
    const std::optional<pid_t> process = process_of(each->path().filename().string());
    if (!process || *process == ::getpid()) continue;
    std::error_code unseen;
    if (std::filesystem::read_symlink(each->path() / "exe", unseen) == ours) continue;
    for (std::filesystem::directory_iterator file(each->path() / "fd", unseen), last; !unseen && file != last;
         file.increment(unseen)) {
      std::error_code gone;
      std::filesystem::path target = std::filesystem::read_symlink(file->path(), gone);
      if (!gone && target.string().starts_with(prefix)) return OpenFile{*process, std::move(target)};
    }
  }
  return {};
}

}  // namespace loci
