// Upkeep: what a backend that keeps files can do for them beyond the contract: examine, copy, bring back, save what is
// left, mend in place. A backend without such files has none (Backend::upkeep() is null); what one of them cannot do
// for its files is `unsupported`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/result.h"

namespace loci {

struct PalaceRef;

enum class VerifyDepth {
  quick,  // structure, and whether the tables agree with each other
  deep,   // also every text, vector and word
};

struct Finding {
  std::string check;            // a short fixed name: "texts"
  std::string detail;           // what is wrong, with which record
  std::string fix;              // the command that mends it
  bool needs_attention = true;  // false: good to know, and nothing is lost or wrong by it

  friend bool operator==(const Finding&, const Finding&) = default;
};

// How many rows of a collection have their vector, in a store that keeps vectors apart from the rows.
struct Coverage {
  std::string name;
  std::string space;  // "cosine", "l2" or "ip"
  std::optional<std::size_t> dimension = {};
  std::size_t rows = 0;
  std::size_t vectors = 0;
  std::size_t missing = 0;  // rows whose vector is nowhere
  std::size_t stale = 0;    // rows whose only vector is of an older text
  std::size_t ghosts = 0;   // vectors without a row
  std::vector<Finding> findings = {};
};

struct VerifyReport {
  std::vector<std::string> checked;  // what was looked at, a phrase each
  std::vector<Finding> findings;     // at most a few of each check, then how many more
  std::size_t records = 0;
  std::size_t pending = 0;                 // records that wait for their vector; no finding
  std::vector<Coverage> collections = {};  // only of a store that keeps vectors apart from the rows
};

struct BackupReport {
  std::size_t records = 0;
  std::size_t size_bytes = 0;
};

struct SalvageReport {
  std::size_t saved = 0;            // records brought out whole
  std::size_t saved_in_part = 0;    // records that lost their metadata, vector or id, but not their text
  std::size_t lost = 0;             // records whose text could not be read
  std::vector<std::string> losses;  // the first of both, a sentence each
  std::size_t unassigned = 0;       // vectors that are there, and whose record cannot be told for certain
  std::vector<std::string> files;   // in the new palace, with what could not be put into records
};

enum class Apply { no, yes };  // no: only say what would be done

struct QuarantineRequest {
  double stale_seconds = 3600;  // how much older than the database the files of an index may be
  Apply apply = Apply::no;
  bool with_losses = false;  // also what holds vectors that are nowhere else
};

struct QuarantineReport {
  struct Moved {
    std::filesystem::path from;
    std::filesystem::path to;
    double gap_seconds = 0;
  };
  struct Refused {
    std::string segment;
    std::string collection;
    std::size_t only_here = 0;  // vectors that renaming it would lose
    double gap_seconds = 0;
    std::string reason = {};
  };
  std::vector<Moved> moved;
  std::vector<Refused> refused;
};

struct MendReport {
  struct Change {
    std::string what;  // "max_seq_id of segment 5f0c…"
    std::string from;
    std::string to;
  };
  std::vector<Change> changes;  // at most a few of each kind
  std::size_t changed = 0;      // of all of them
  std::vector<Finding> left;    // what was left as it is, and why
};

// Does nobody want the result any more? Work that takes long asks again and again, from the thread that called it;
// after one "yes" it ends with `unavailable`, and has changed nothing and left nothing behind. Empty: it is never
// cancelled.
using IsCancelled = std::function<bool()>;

// All methods may be called from many threads at once.
class Upkeep {
 public:
  virtual ~Upkeep() = default;

  // Reads and changes nothing. A palace that even salvage() cannot open is an error; everything else is a finding.
  virtual Result<VerifyReport> verify(const PalaceRef& palace, VerifyDepth depth,
                                      const IsCancelled& is_cancelled = {}) = 0;

  // Writes a consistent copy of the palace to a new file while others may go on writing, and examines the copy. After
  // an error or a crash there is no file of that name. Errors: already_exists.
  virtual Result<BackupReport> backup(const PalaceRef& palace, const std::filesystem::path& file,
                                      const IsCancelled& is_cancelled = {}) = 0;

  // Makes a palace from such a file, settings included; settings that are there stay. After an error or a crash there
  // is no palace. Errors: already_exists when there is a palace or the log of one, corruption when the file is not
  // whole.
  virtual Result<BackupReport> restore(const std::filesystem::path& file, const PalaceRef& palace,
                                       const IsCancelled& is_cancelled = {}) = 0;

  // Brings every readable record of a damaged palace, and its settings, into a new one, which appears when it is whole.
  // The old one is not touched. Errors: already_exists; corruption when nothing tells where its tables are.
  virtual Result<SalvageReport> salvage(const PalaceRef& palace, const PalaceRef& target,
                                        const IsCancelled& is_cancelled = {}) = 0;

  // Renames index folders that are much older than the database, so that they are made anew; deletes nothing. One that
  // holds vectors which are nowhere else is refused unless the caller takes the loss. Nothing where there is no palace.
  virtual Result<QuarantineReport> quarantine(const PalaceRef& palace, const QuarantineRequest& request) = 0;

  // Mends one kind of damage in place, in one transaction. Errors: invalid_argument for an unknown kind, listing what
  // there is.
  virtual Result<MendReport> mend(const PalaceRef& palace, std::string_view kind, Apply apply) = 0;
};

}  // namespace loci
