#include "store/embedded/maintenance_lease.h"

#include <cerrno>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

namespace loci::embedded {
namespace {

constexpr std::string_view kMaintenanceLease = "maintenance.lock";
constexpr off_t kLease = 0;  // held by whoever maintains
constexpr off_t kNote = 1;   // held when the file says who that is
constexpr std::size_t kLongestNote = 200;

// Kind, process and time. The locks are those of open files, so opening and closing the file here takes none away.
Status write_note(const std::filesystem::path& file, std::string_view kind) {
  const std::string note =
      std::string(kind) + " " + std::to_string(::getpid()) + " " + std::to_string(now_unix_ms()) + "\n";
  const FileDescriptor opened(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!opened.is_open() || ::write(opened.get(), note.data(), note.size()) != static_cast<ssize_t>(note.size()))
    return io_error("cannot write", file, errno);
  return {};
}

RunningMaintenance parse_note(const std::string& note) {
  RunningMaintenance running;
  std::istringstream words(note);
  words >> running.kind >> running.process >> running.since;
  return words.fail() ? RunningMaintenance{} : running;
}

}  // namespace

Result<std::optional<MaintenanceLease>> MaintenanceLease::take(const std::filesystem::path& palace,
                                                               std::string_view kind) {
  const std::filesystem::path file = palace / kMaintenanceLease;
  LockFile lock = TRY(LockFile::open(file));
  if (!lock.try_lock(kLease)) return std::optional<MaintenanceLease>();
  TRY(write_note(file, kind));
  static_cast<void>(lock.try_lock(kNote));  // nobody else takes it without the lease
  return std::optional(MaintenanceLease(std::move(lock)));
}

Result<std::optional<RunningMaintenance>> running_maintenance(const std::filesystem::path& palace) {
  const std::filesystem::path file = palace / kMaintenanceLease;
  const Result<LockFile> lock = LockFile::open_to_look(file);
  if (!lock.ok() && lock.error().kind == ErrorKind::not_found) return std::optional<RunningMaintenance>();
  if (!lock.ok()) return lock.error();
  if (lock->first_locked(kLease) != kLease) return std::optional<RunningMaintenance>();
  if (lock->first_locked(kNote) != kNote) return std::optional(RunningMaintenance{});
  return std::optional(parse_note(TRY(read_file(file, kLongestNote))));
}

}  // namespace loci::embedded
