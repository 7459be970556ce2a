// Upkeep: what a backend that keeps files can do for them beyond the contract: examine, copy, bring back, save what is
// left. A backend without such files has none (Backend::upkeep() is null).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "loci/result.h"

namespace loci {

struct PalaceRef;

enum class VerifyDepth {
  quick,  // structure, and whether the tables agree with each other
  deep,   // also every text, vector and word
};

struct Finding {
  std::string check;   // a short fixed name: "texts"
  std::string detail;  // what is wrong, with which record
  std::string fix;     // the command that mends it

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct VerifyReport {
  std::vector<std::string> checked;  // what was looked at, a phrase each
  std::vector<Finding> findings;     // at most a few of each check, then how many more
  std::size_t records = 0;
  std::size_t pending = 0;  // records that wait for their vector; no finding
};

struct BackupReport {
  std::size_t records = 0;
  std::size_t size_bytes = 0;
};

struct SalvageReport {
  std::size_t saved = 0;            // records brought out whole
  std::size_t saved_in_part = 0;    // records that lost their metadata, vector or id, but not their text
  std::size_t lost = 0;             // records whose text could not be read
  std::vector<std::string> losses;  // the first of them, a sentence each
};

// All methods may be called from many threads at once.
class Upkeep {
 public:
  virtual ~Upkeep() = default;

  // Reads and changes nothing. A palace that cannot be opened at all is an error; everything else is a finding.
  virtual Result<VerifyReport> verify(const PalaceRef& palace, VerifyDepth depth) = 0;

  // Writes a consistent copy of the palace to a new file while others may go on writing, and examines the copy. After
  // an error or a crash there is no file of that name. Errors: already_exists.
  virtual Result<BackupReport> backup(const PalaceRef& palace, const std::filesystem::path& file) = 0;

  // Makes a palace from such a file. Errors: already_exists when there is a palace, corruption when the file is not
  // whole.
  virtual Result<BackupReport> restore(const std::filesystem::path& file, const PalaceRef& palace) = 0;

  // Brings every readable record of a damaged palace into a new one. The old one is not touched.
  // Errors: already_exists; corruption when not even the list of its tables can be read.
  virtual Result<SalvageReport> salvage(const PalaceRef& palace, const PalaceRef& target) = 0;
};

}  // namespace loci
