#include "http/token_file.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"

namespace loci::http {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kFileBytes = 4096;

Error unusable(const std::filesystem::path& path, std::string_view why) {
  return {ErrorKind::invalid_argument, "the token file " + path.string() + " " + std::string(why)};
}

// Not inlined: g++ 12 then believes that a text of this length could be one that is stored in the string itself.
[[gnu::noinline]] bool is_token(std::string_view text) {
  return text.size() >= kTokenBytes &&
         std::all_of(text.begin(), text.end(), [](unsigned char each) { return each > ' ' && each < 0x7f; });
}

// Empty when there is no file.
Result<std::string> read_token(const std::filesystem::path& path) {
  struct stat found = {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return std::string();
    return io_error("cannot read", path, errno);
  }
  if (!S_ISREG(found.st_mode)) return unusable(path, "is no plain file; remove it, and a new one is made");
  if (found.st_uid != ::geteuid()) return unusable(path, "belongs to somebody else");
  if ((found.st_mode & 077) != 0)
    return unusable(path, "can be read by others; chmod 600, or remove it for a new token");
  std::string text = TRY(read_file(path, kFileBytes));
  text.erase(std::find_if(text.rbegin(), text.rend(), [](char each) { return each != '\n'; }).base(), text.end());
  if (!is_token(text)) return unusable(path, "holds no token; remove it, and a new one is made");
  return text;
}

}  // namespace

Result<ServerToken> load_token(const std::filesystem::path& path, KeepToken keep) {
  std::string known = TRY(read_token(path));
  if (!known.empty()) return ServerToken{.token = std::move(known)};
  const std::string token = random_hex(kTokenBytes);
  if (keep == KeepToken::no) return ServerToken{.token = token, .is_new = true};
  TRY(make_private_folder(path.parent_path()));
  // Linked to its name when it is whole, so that the first of several processes wins.
  const std::filesystem::path aside = path.string() + "." + random_hex(8);
  TRY(write_file_atomically(aside, token + "\n", 0600));
  const bool is_linked = ::link(aside.c_str(), path.c_str()) == 0;
  const int link_error = is_linked ? 0 : errno;
  ::unlink(aside.c_str());
  if (is_linked) {
    TRY(sync_folder(path.parent_path()));
    return ServerToken{.token = token, .is_new = true};
  }
  if (link_error != EEXIST) return io_error("cannot make", path, link_error);
  known = TRY(read_token(path));
  if (known.empty()) return unusable(path, "came and went; try again");
  return ServerToken{.token = std::move(known)};
}

}  // namespace loci::http
