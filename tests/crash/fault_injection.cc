#include "tests/crash/fault_injection.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loci::crash {
namespace {

thread_local Fault armed;
thread_local bool is_armed = false;
thread_local bool happened = false;
thread_local std::int64_t calls = 0;

// Counts a call; true: it must fail, with errno set.
bool must_fail(FaultyCall call) {
  if (!is_armed || call != armed.call) return false;
  ++calls;
  const bool fails = armed.repeats == Repeats::once ? calls == armed.at : calls >= armed.at;
  if (!fails) return false;
  happened = true;
  errno = armed.errno_value;
  return true;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

std::string_view to_string(FaultyCall call) {
  switch (call) {
    case FaultyCall::open: return "open";
    case FaultyCall::read: return "read";
    case FaultyCall::write: return "write";
    case FaultyCall::sync: return "sync";
    case FaultyCall::truncate: return "truncate";
    case FaultyCall::rename: return "rename";
    case FaultyCall::link: return "link";
    case FaultyCall::remove: return "remove";
    case FaultyCall::map: return "map";
    case FaultyCall::make_folder: return "make_folder";
    case FaultyCall::allocate: return "allocate";
  }
  return "";
}

ArmedFault::ArmedFault(const Fault& fault) {
  armed = fault;
  calls = 0;
  happened = false;
  is_armed = true;
}

ArmedFault::~ArmedFault() { is_armed = false; }

bool ArmedFault::has_happened() const { return happened; }

void install_allocation_faults() {
  static sqlite3_mem_methods real{};
  static const bool kInstalled = [] {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    sqlite3_mem_methods faulty = real;
    faulty.xMalloc = [](int size) -> void* { return must_fail(FaultyCall::allocate) ? nullptr : real.xMalloc(size); };
    faulty.xRealloc = [](void* old, int size) -> void* {
      return must_fail(FaultyCall::allocate) ? nullptr : real.xRealloc(old, size);
    };
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty) == SQLITE_OK;
  }();
  if (!kInstalled) std::abort();
}

}  // namespace loci::crash

// The replaced calls. A call that is not to fail goes on to the real one.
using loci::crash::FaultyCall;
using loci::crash::must_fail;
using loci::crash::real;

void* operator new(std::size_t size) {
  void* memory = must_fail(FaultyCall::allocate) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return must_fail(FaultyCall::allocate) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* next = real<int(const char*, int, ...)>("open");
  return must_fail(FaultyCall::open) ? -1 : next(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* next = real<int(const char*, int, ...)>("open64");
  return must_fail(FaultyCall::open) ? -1 : next(path, flags, mode);
}

ssize_t read(int file, void* into, size_t size) {
  static auto* next = real<ssize_t(int, void*, size_t)>("read");
  return must_fail(FaultyCall::read) ? -1 : next(file, into, size);
}

ssize_t pread64(int file, void* into, size_t size, off64_t offset) {
  static auto* next = real<ssize_t(int, void*, size_t, off64_t)>("pread64");
  return must_fail(FaultyCall::read) ? -1 : next(file, into, size, offset);
}

ssize_t write(int file, const void* from, size_t size) {
  static auto* next = real<ssize_t(int, const void*, size_t)>("write");
  return must_fail(FaultyCall::write) ? -1 : next(file, from, size);
}

ssize_t pwrite64(int file, const void* from, size_t size, off64_t offset) {
  static auto* next = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return must_fail(FaultyCall::write) ? -1 : next(file, from, size, offset);
}

ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
  static auto* next = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return must_fail(FaultyCall::write) ? -1 : next(file, from, size, offset);
}

int fsync(int file) {
  static auto* next = real<int(int)>("fsync");
  return must_fail(FaultyCall::sync) ? -1 : next(file);
}

int fdatasync(int file) {
  static auto* next = real<int(int)>("fdatasync");
  return must_fail(FaultyCall::sync) ? -1 : next(file);
}

int ftruncate64(int file, off64_t size) noexcept {
  static auto* next = real<int(int, off64_t)>("ftruncate64");
  return must_fail(FaultyCall::truncate) ? -1 : next(file, size);
}

int rename(const char* from, const char* to) noexcept {
  static auto* next = real<int(const char*, const char*)>("rename");
  return must_fail(FaultyCall::rename) ? -1 : next(from, to);
}

int link(const char* from, const char* to) noexcept {
  static auto* next = real<int(const char*, const char*)>("link");
  return must_fail(FaultyCall::link) ? -1 : next(from, to);
}

int unlink(const char* path) noexcept {
  static auto* next = real<int(const char*)>("unlink");
  return must_fail(FaultyCall::remove) ? -1 : next(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* next = real<int(const char*, mode_t)>("mkdir");
  return must_fail(FaultyCall::make_folder) ? -1 : next(path, mode);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  static auto* next = real<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if (file >= 0 && must_fail(FaultyCall::map)) return MAP_FAILED;
  return next(address, size, protection, flags, file, offset);
}

void* mmap64(void* address, size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  static auto* next = real<void*(void*, size_t, int, int, int, off64_t)>("mmap64");
  // Memory for the program itself is not a file and not meant.
  if (file >= 0 && must_fail(FaultyCall::map)) return MAP_FAILED;
  return next(address, size, protection, flags, file, offset);
}
}
