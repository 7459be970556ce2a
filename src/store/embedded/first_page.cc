#include "store/embedded/first_page.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "store/embedded/damaged_log.h"
#include "store/embedded/schema.h"
#include "store/embedded/sqlite.h"
#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

constexpr std::array<std::size_t, 2> kPageSizes = {8192, 4096};  // of new palaces, and of those made earlier
constexpr std::size_t kPagesAt = 28;  // https://sqlite.org/fileformat2.html#the_database_header

Result<std::vector<std::uint8_t>> first_page_of_new_palace(std::size_t page_size) {
  const TemporaryFolder folder = TRY(TemporaryFolder::create());
  const std::filesystem::path file = folder.path() / "new.db";
  {
    const std::unique_ptr<Connection> connection = TRY(open_connection(file, OpenMode::read_write_create));
    TRY(connection->execute("PRAGMA page_size = " + std::to_string(page_size)));
    TRY(prepare_schema(*connection));
    TRY(connection->query_text("PRAGMA journal_mode = WAL"));
  }
  std::vector<std::uint8_t> page(page_size);
  TRY(TRY(sqlite::VfsFile::open(file)).read(0, page));
  return page;
}

void set_pages(std::vector<std::uint8_t>& page, std::size_t pages) {
  for (std::size_t i = 0; i < 4; ++i) page[kPagesAt + i] = static_cast<std::uint8_t>(pages >> (24 - 8 * i));
}

Status write_first_page(const std::filesystem::path& file, const std::vector<std::uint8_t>& page) {
  const FileDescriptor opened(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!opened.is_open()) return io_error("cannot open", file, errno);
  if (::pwrite(opened.get(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()))
    return io_error("cannot write", file, errno);
  return {};
}

// A file that cannot be read now is not one that shows no palace.
bool cannot_be_read(const Error& error) { return error.kind == ErrorKind::io || error.kind == ErrorKind::busy; }

Result<bool> shows_a_palace(const std::filesystem::path& file) {
  const auto connection = open_connection(file, OpenMode::immutable, Damage::tolerated);
  if (!connection.ok()) {
    if (cannot_be_read(connection.error())) return connection.error();
    return false;
  }
  const auto id = (*connection)->query_text("SELECT value FROM palace WHERE key = 'palace_id' AND length(value) = 32");
  if (!id.ok() && cannot_be_read(id.error())) return id.error();
  return id.ok();
}

}  // namespace

Status replace_first_page(const std::filesystem::path& copy) {
  for (const std::size_t page_size : kPageSizes) {
    std::vector<std::uint8_t> page = TRY(first_page_of_new_palace(page_size));
    set_pages(page, std::filesystem::file_size(copy) / page_size);
    TRY(write_first_page(copy, page));
    if (TRY(shows_a_palace(copy))) return {};
  }
  return Error{ErrorKind::corruption,
               "the first page of the database is lost and nothing else tells where its tables are; restore a backup"};
}

Status make_first_page_for_log(const std::filesystem::path& copy) {
  const LogPages log = TRY(read_log_pages(copy.string() + "-wal"));
  if (std::find(kPageSizes.begin(), kPageSizes.end(), log.page_bytes) == kPageSizes.end()) {
    return Error{ErrorKind::corruption, "the database was cut to nothing and its log cannot be read; restore a backup"};
  }
  std::vector<std::uint8_t> page = TRY(first_page_of_new_palace(log.page_bytes));
  set_pages(page, 1);
  return write_first_page(copy, page);
}

}  // namespace loci::embedded
