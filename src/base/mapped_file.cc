#include "base/mapped_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/file.h"

namespace loci {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  constexpr std::string_view kWhat = "cannot read";
  // Without O_NONBLOCK a pipe would wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return io_error(kWhat, path, errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return io_error(kWhat, path, errno);
  if (!S_ISREG(status.st_mode))
    return Error{ErrorKind::invalid_argument, "cannot read " + path.string() + ": it is not a regular file"};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return io_error("cannot map", path, errno);
  return MappedFile(static_cast<const std::uint8_t*>(mapped), size);
}

void MappedFile::unmap() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace loci
