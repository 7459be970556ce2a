#include "store/embedded/missing_pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <sys/stat.h>

#include "store/embedded/damaged_log.h"
#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

// https://sqlite.org/fileformat2.html#the_database_header
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageBytesAt = 16;
constexpr std::size_t kChangesAt = 24;
constexpr std::size_t kPagesAt = 28;
constexpr std::size_t kPagesValidForAt = 92;  // the number of changes at which the number of pages was written
constexpr std::uint64_t kSmallestPage = 512;

using Header = std::array<std::uint8_t, kHeaderBytes>;

std::uint32_t number_in(const Header& header, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + bytes; ++i) value = value << 8 | header[i];
  return value;
}

struct FileSize {
  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;  // as the first page says; 0: it does not
  std::uint64_t bytes = 0;
};

Result<FileSize> read_size(const std::filesystem::path& database) {
  const sqlite::VfsFile file = TRY(sqlite::VfsFile::open(database));
  Header header{};
  TRY(file.read(0, header));
  FileSize size{.page_bytes = number_in(header, kPageBytesAt, 2),
                .bytes = static_cast<std::uint64_t>(TRY(file.size_bytes()))};
  if (number_in(header, kChangesAt, 4) == number_in(header, kPagesValidForAt, 4))
    size.pages = number_in(header, kPagesAt, 4);
  return size;
}

std::optional<MissingPages> compare(const FileSize& file, const LogPages& log) {
  const std::uint64_t page_bytes = log.total > 0 ? log.page_bytes : file.page_bytes;
  const std::uint64_t total = log.total > 0 ? log.total : file.pages;
  if (page_bytes < kSmallestPage || total == 0) return {};
  const std::uint64_t in_file = std::min(file.bytes / page_bytes, total);
  const auto in_log = static_cast<std::uint64_t>(std::count_if(
      log.pages.begin(), log.pages.end(), [&](std::uint64_t page) { return page > in_file && page <= total; }));
  if (in_file + in_log >= total) return {};
  return MissingPages{.missing = total - in_file - in_log, .total = total};
}

// Tells whether a file was written meanwhile.
struct Stamp {
  off_t size = 0;
  timespec changed{};
  bool operator==(const Stamp& other) const {
    return size == other.size && changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
  }
};

Stamp stamp_of_file(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? Stamp{status.st_size, status.st_mtim} : Stamp{};
}

}  // namespace

Result<std::optional<MissingPages>> find_missing_pages(const std::filesystem::path& database) {
  const std::filesystem::path log = database.string() + "-wal";
  const Stamp database_before = stamp_of_file(database);
  const Stamp log_before = stamp_of_file(log);
  const LogPages in_log = TRY(read_log_pages(log));
  const std::optional<MissingPages> found = compare(TRY(read_size(database)), in_log);
  const bool is_at_rest = stamp_of_file(database) == database_before && stamp_of_file(log) == log_before;
  return is_at_rest ? found : std::nullopt;
}

}  // namespace loci::embedded
