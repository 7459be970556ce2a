#include "store/embedded/file_header.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/file.h"
#include "store/embedded/schema.h"
#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

// Offsets from https://sqlite.org/fileformat2.html#the_database_header
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

std::int64_t big_endian_32(const std::array<std::uint8_t, kHeaderBytes>& header, std::size_t at) {
  const std::uint32_t value = std::uint32_t{header[at]} << 24 | std::uint32_t{header[at + 1]} << 16 |
                              std::uint32_t{header[at + 2]} << 8 | std::uint32_t{header[at + 3]};
  return static_cast<std::int32_t>(value);
}

bool has_content(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && status.st_size > 0;
}

}  // namespace

Result<HeaderState> read_file_header(const std::filesystem::path& file) {
  // Before the file, since another process may be making both.
  const bool has_log = has_content(file.string() + "-wal");
  struct stat status {};
  // SQLite opens none: the log and the locks would be those of the link's name for one process, of the file's for
  // another.
  if (::lstat(file.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    return Error{ErrorKind::io, file.string() +
                                    " is a symbolic link, which a palace's database may not be; give "
                                    "--palace the folder that it leads to"};
  }
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return HeaderState::missing;
    return io_error("cannot open", file, errno);
  }
  if (!S_ISREG(status.st_mode)) return HeaderState::not_a_database;
  if (status.st_size == 0) return has_log ? HeaderState::emptied : HeaderState::empty;

  const sqlite::VfsFile opened = TRY(sqlite::VfsFile::open(file));
  std::array<std::uint8_t, kHeaderBytes> header{};
  TRY(opened.read(0, header));
  const std::string_view magic(reinterpret_cast<const char*>(header.data()), kMagic.size());
  if (magic != kMagic) {
    const bool is_blank = magic.find_first_not_of('\0') == std::string_view::npos;
    return is_blank && has_content(file.string() + "-journal") ? HeaderState::unfinished : HeaderState::not_a_database;
  }
  if (status.st_size < static_cast<off_t>(kHeaderBytes)) return HeaderState::cut_off;

  const std::int64_t application = big_endian_32(header, kApplicationIdAt);
  const std::int64_t version = big_endian_32(header, kUserVersionAt);
  if (application == 0 && version == 0) return HeaderState::fine;  // just created: the tables may stand in the log only
  if (application != kApplicationId) return HeaderState::foreign;
  if (version > kSchemaVersion) return HeaderState::newer;
  return version < kSchemaVersion ? HeaderState::older : HeaderState::fine;
}

Status check_header(HeaderState state, const std::filesystem::path& file) {
  switch (state) {
    case HeaderState::missing:
    case HeaderState::empty:
    case HeaderState::unfinished:
    case HeaderState::fine:
    case HeaderState::older: return {};
    case HeaderState::emptied:
      return Error{
          ErrorKind::corruption,
          file.string() +
              " was cut to nothing, and its log was not; both were left as they are: `loci repair --output NEW` "
              "saves what the log has, or restore a backup"};
    case HeaderState::newer:
      return Error{ErrorKind::version_mismatch,
                   file.string() + " was written by a newer Loci; it was not touched, use the newer program"};
    case HeaderState::foreign:
      return Error{ErrorKind::corruption,
                   file.string() + " is the database of another program; it was not touched, choose another --palace"};
    case HeaderState::not_a_database:
      return Error{ErrorKind::corruption,
                   file.string() +
                       " is not a database; it was not touched, restore it from a backup or choose another --palace"};
    case HeaderState::cut_off:
      return Error{ErrorKind::corruption, file.string() + " is cut off; it was not touched, restore it from a backup"};
  }
  return {};
}

Status check_no_stray_log(const std::filesystem::path& file) {
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    const std::filesystem::path log = file.string() + suffix;
    if (!has_content(log)) continue;
    return Error{ErrorKind::already_exists,
                 log.string() + " belongs to a palace that was there before, and would be mixed with the new one; " +
                     "move it aside together with its " + file.filename().string() + ", or choose another --palace"};
  }
  return {};
}

}  // namespace loci::embedded
