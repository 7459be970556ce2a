// What the first bytes of a database file say, before SQLite is let near it: a file that is not ours, is cut off or was
// written by a newer program must stay as it is, byte for byte.
#pragma once

#include <filesystem>

#include "loci/result.h"

namespace loci::embedded {

enum class HeaderState {
  missing,
  empty,
  emptied,     // cut to nothing: its log is there, which is never made before the first page
  unfinished,  // the power went while the file was made: its first page is not there, and its journal undoes the rest
  fine,
  older,  // as fine: opening for writing brings it up to date
  newer,
  foreign,
  not_a_database,
  cut_off
};

// Errors: io, also for a symbolic link.
Result<HeaderState> read_file_header(const std::filesystem::path& file);

// Turns what must not be opened into an error: version_mismatch or corruption.
Status check_header(HeaderState state, const std::filesystem::path& file);

// Before a file gets this name: is a log or a journal of another one left beside it? SQLite would take it for the new
// file's own and write it there. Errors: already_exists, which says what to do.
Status check_no_stray_log(const std::filesystem::path& file);

}  // namespace loci::embedded
