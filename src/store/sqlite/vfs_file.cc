#include "store/sqlite/vfs_file.h"

#include <cerrno>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "store/sqlite/cancellation.h"
#include "store/sqlite/sqlite.h"

namespace loci::sqlite {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

Error failed(std::string_view what, const std::filesystem::path& path, int code) {
  return {ErrorKind::io, std::string(what) + " " + path.string() + ": " + sqlite3_errstr(code)};
}

}  // namespace

void VfsFile::Close::operator()(sqlite3_file* file) const {
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  std::free(file);
}

Result<VfsFile> VfsFile::open(const std::filesystem::path& path) {
  initialize_sqlite();
  if (const int code = sqlite3_initialize(); code != SQLITE_OK) return failed("cannot open", path, code);
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  VfsFile opened;
  opened.path_ = path;
  opened.name_.reset(sqlite3_create_filename(std::filesystem::absolute(path).c_str(), "", "", 0, nullptr));
  opened.file_.reset(static_cast<sqlite3_file*>(std::calloc(1, static_cast<std::size_t>(vfs->szOsFile))));
  if (!opened.name_ || !opened.file_) return failed("cannot open", path, SQLITE_NOMEM);
  const int code =
      vfs->xOpen(vfs, opened.name_.get(), opened.file_.get(), SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
  if (code != SQLITE_OK) return failed("cannot open", path, code);
  return opened;
}

Result<std::int64_t> VfsFile::size_bytes() const {
  sqlite3_int64 size = 0;
  const int code = file_->pMethods->xFileSize(file_.get(), &size);
  if (code != SQLITE_OK) return failed("cannot read", path_, code);
  return std::int64_t{size};
}

Status VfsFile::read(std::int64_t offset, std::span<std::uint8_t> into) const {
  const int code = file_->pMethods->xRead(file_.get(), into.data(), static_cast<int>(into.size()), offset);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return failed("cannot read", path_, code);
  return {};
}

Status copy_database_file(const std::filesystem::path& from, const std::filesystem::path& to,
                          const IsCancelled& is_cancelled) {
  const VfsFile source = TRY(VfsFile::open(from));
  const std::int64_t size = TRY(source.size_bytes());
  const FileDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target.is_open()) return io_error("cannot create", to, errno);
  std::vector<std::uint8_t> buffer(kCopyBytes);
  for (std::int64_t offset = 0; offset < size;) {
    TRY(check_wanted(is_cancelled));
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(size - offset, kCopyBytes));
    TRY(source.read(offset, std::span(buffer).first(wanted)));
    for (std::size_t done = 0; done < wanted;) {
      const ssize_t wrote =
          ::pwrite(target.get(), buffer.data() + done, wanted - done, offset + static_cast<off_t>(done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return io_error("cannot write", to, errno);
      done += static_cast<std::size_t>(wrote);
    }
    offset += static_cast<std::int64_t>(wanted);
  }
  return {};
}

}  // namespace loci::sqlite
