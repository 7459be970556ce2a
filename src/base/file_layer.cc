#include "base/file_layer.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

class SystemFile : public NewFile {
 public:
  SystemFile(std::filesystem::path path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  Status write_at(std::size_t offset, std::span<const std::uint8_t> bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return io_error("cannot write", path_, errno);
      offset += static_cast<std::size_t>(count);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
  }

  Status sync() override {
    if (::fsync(file_.get()) != 0) return io_error("cannot save", path_, errno);
    return {};
  }

 private:
  const std::filesystem::path path_;
  const FileDescriptor file_;
};

class SystemFiles : public FileLayer {
 public:
  Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) override {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.is_open()) return io_error("cannot create", path, errno);
    return std::unique_ptr<NewFile>(std::make_unique<SystemFile>(path, std::move(file)));
  }
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return io_error("cannot rename", from, errno);
    return {};
  }
  Status remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return io_error("cannot remove", path, errno);
    return {};
  }
  Status sync_folder(const std::filesystem::path& folder) override { return loci::sync_folder(folder); }
  Status make_folder(const std::filesystem::path& folder) override { return make_private_folder(folder); }
};

}  // namespace

FileLayer& system_files() {
  static SystemFiles files;
  return files;
}

}  // namespace loci
