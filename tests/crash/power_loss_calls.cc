// The system calls with which our own code writes files, replaced for this program, so that the disk that loses its
// power sees them too.
#include <cerrno>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/crash/power_loss.h"

namespace loci::crash {
namespace {

template <typename Function>
Function* real_call(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Makes the call, or does as it would have: what the disk has taken over has succeeded.
template <typename Call>
auto make(CallFate fate, const Call& call) -> decltype(call()) {
  if (fate == CallFate::real) return call();
  if (fate == CallFate::taken) return 0;
  errno = EIO;
  return -1;
}

std::span<const std::uint8_t> bytes_of(const void* from, size_t size) {
  return {static_cast<const std::uint8_t*>(from), size};
}

}  // namespace
}  // namespace loci::crash

using namespace loci::crash;

extern "C" {

ssize_t write(int file, const void* from, size_t size) {
  static auto* next = real_call<ssize_t(int, const void*, size_t)>("write");
  const off_t offset = ::lseek(file, 0, SEEK_CUR);
  // What has no offset is no file.
  const CallFate fate = offset < 0 ? CallFate::real : on_write(file, offset, bytes_of(from, size));
  return make(fate, [&] { return next(file, from, size); });
}

ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
  static auto* next = real_call<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return make(on_write(file, offset, bytes_of(from, size)), [&] { return next(file, from, size, offset); });
}

int fsync(int file) {
  static auto* next = real_call<int(int)>("fsync");
  return make(on_sync(file), [&] { return next(file); });
}

int link(const char* from, const char* to) noexcept {
  static auto* next = real_call<int(const char*, const char*)>("link");
  return make(on_link(from, to), [&] { return next(from, to); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* next = real_call<int(const char*, const char*)>("rename");
  return make(on_rename(from, to), [&] { return next(from, to); });
}

int unlink(const char* path) noexcept {
  static auto* next = real_call<int(const char*)>("unlink");
  return make(on_remove(path), [&] { return next(path); });
}
}
