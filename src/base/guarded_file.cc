#include "base/guarded_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <optional>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace loci {
namespace {

// What the handler knows of the mappings. It may run at any moment in any thread, so there is no lock, only atomics.
struct Mapping {
  std::atomic<bool> is_taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> was_cut{false};
};
constexpr std::size_t kMostMappings = 1024;
std::array<Mapping, kMostMappings> mappings;
struct sigaction previous_action;
std::uintptr_t page_bytes = 4096;  // set before the handler is

// Puts zeros under the address if it is ours. Only what may be called in a signal handler.
bool mend(std::uintptr_t address) {
  for (Mapping& mapping : mappings) {
    if (address < mapping.begin.load() || address >= mapping.end.load()) continue;
    mapping.was_cut.store(true);
    const std::uintptr_t page = address / page_bytes * page_bytes;
    // By its number: ThreadSanitizer takes mmap() for a write to the page, which others may be reading. Those that read
    // it meanwhile are told that the file was cut, like us.
    return ::syscall(SYS_mmap, page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != -1;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool is_mended = mend(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = saved_errno;
  if (is_mended) return;
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) return previous_action.sa_sigaction(signal, info, context);
  if (previous_action.sa_handler == SIG_IGN) return;
  if (previous_action.sa_handler != SIG_DFL) return previous_action.sa_handler(signal);
  // Returning repeats the access, which now does what it would have done without us.
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGBUS, &plain, nullptr);
}

void take_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

std::optional<std::size_t> take_slot() {
  for (std::size_t slot = 0; slot < kMostMappings; ++slot) {
    bool expected = false;
    if (mappings[slot].is_taken.compare_exchange_strong(expected, true)) return slot;
  }
  return {};
}

void guard(std::size_t slot, const void* data, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  mappings[slot].was_cut.store(false);
  mappings[slot].end.store(begin + size);
  mappings[slot].begin.store(begin);
}

void release_slot(std::size_t slot) {
  mappings[slot].end.store(0);
  mappings[slot].begin.store(0);
  mappings[slot].is_taken.store(false);
}

}  // namespace

Result<std::unique_ptr<GuardedFile>> GuardedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe would wait for a writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return io_error("cannot read", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return io_error("cannot read", path, errno);
  if (!S_ISREG(status.st_mode) || status.st_size == 0)
    return Error{ErrorKind::invalid_argument, "cannot read " + path.string() + ": it is empty, or not a regular file"};
  take_handler();
  const std::optional<std::size_t> slot = take_slot();
  if (!slot) return Error{ErrorKind::io, "cannot map " + path.string() + ": too many files are mapped already"};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    release_slot(*slot);
    return io_error("cannot map", path, errno);
  }
  guard(*slot, mapped, size);
  return std::unique_ptr<GuardedFile>(
      new GuardedFile(std::move(file), static_cast<const std::uint8_t*>(mapped), size, *slot));
}

void GuardedFile::let_go() const { ::madvise(const_cast<std::uint8_t*>(data_), size_, MADV_DONTNEED); }

GuardedFile::~GuardedFile() {
  release_slot(slot_);
  ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

bool GuardedFile::is_whole() const {
  if (mappings[slot_].was_cut.load()) return false;
  // The rest of the last page reads as zeros without a signal.
  struct stat status {};
  return ::fstat(file_.get(), &status) == 0 && static_cast<std::size_t>(status.st_size) == size_;
}

}  // namespace loci
