// Makes a system call of this process fail, the n-th of its kind. The calls themselves are replaced (this program
// defines open, pwrite64, fdatasync and so on), so SQLite's and our own are hit alike. An allocation is one by `new` or
// one of SQLite's.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::crash {

enum class FaultyCall { open, read, write, sync, truncate, rename, link, remove, map, make_folder, allocate };
std::string_view to_string(FaultyCall call);

enum class Repeats { once, forever };

struct Fault {
  FaultyCall call = FaultyCall::write;
  int errno_value = 0;
  std::int64_t at = 1;  // the n-th call of that kind from now on
  Repeats repeats = Repeats::once;
};

// Once, before SQLite is used: its allocations can fail from then on.
void install_allocation_faults();

// While it lives, the fault is armed, for this thread alone.
class ArmedFault {
 public:
  explicit ArmedFault(const Fault& fault);
  ArmedFault(const ArmedFault&) = delete;
  ArmedFault& operator=(const ArmedFault&) = delete;
  ~ArmedFault();

  // Did the call happen, and fail?
  bool has_happened() const;
};

}  // namespace loci::crash
