// Import: records from JSON lines, as export writes them or as any other program may. docs/export_format.md describes
// the lines.
//
// A line that cannot be a record is refused by its number, and the others are imported. Records are stored in batches,
// each of them whole or not at all, in the order of the file; running an import again after it was killed completes it.
//
// A conflict is a record whose collection has its id, or its unique key under any id, be it from before or from an
// earlier line. Equal text elsewhere is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "loci/backend.h"
#include "loci/result.h"

namespace loci {

enum class OnConflict {
  skip,       // the stored record stays as it is; the line is `already_there`
  update,     // the stored record takes over what the line has, and keeps the details that it has not; `updated`
  duplicate,  // the line is stored as well, without its unique key, under an id made from its own id and its content;
              // `already_there` if a record of that id was made before
  fail,       // the first conflict is an error (already_exists) and nothing is stored: the input is read twice, first
              // to look for conflicts, so it must be one that can be read again. Bad lines are refused as ever. Only a
              // conflict that another process makes between the two can leave batches stored; the error then says so.
};
std::optional<OnConflict> parse_on_conflict(std::string_view name);

struct ImportRequest {
  PalaceRef palace;                            // created when there is a record to store
  std::string default_collection = "drawers";  // of lines that name none
  OnConflict on_conflict = OnConflict::skip;
  // The model that made the vectors of lines that do not name one themselves; absent: unknown. A collection takes up
  // the model of the first vector it gets. Where it has one, a line that names another is refused.
  std::optional<std::string> source_model = {};
};

enum class ImportOutcome { stored, already_there, updated, refused };
std::string_view to_string(ImportOutcome outcome);

// What happened to one line. The views hold until the observer returns.
struct ImportedLine {
  std::size_t line = 0;  // the first is 1
  ImportOutcome outcome = ImportOutcome::refused;
  std::string_view collection = {};  // empty when the line could not be read so far
  std::string_view id = {};          // as the line has it; empty when the line could not be read so far
  std::string_view stored_id = {};   // the id that the palace knows it by; empty when refused
  std::string_view reason = {};      // why it was refused
};

struct ImportReport {
  std::size_t lines = 0;  // all lines but empty ones: the sum of the four below
  std::size_t stored = 0;
  std::size_t already_there = 0;
  std::size_t updated = 0;
  std::size_t refused = 0;
  std::uint64_t bytes = 0;
};

struct ImportObserver {
  std::function<void(const ImportedLine&)> line =
      {};  // once for each line, in the order of the file, after it is durable
  std::function<void(const ImportReport&)> progress = {};  // after each batch: what is done so far
  std::function<bool()> is_cancelled = {};                 // asked between batches
};

// Reads `input` from its current position to its end. An error ends the import where it stands: its message says after
// which line, and the batches before it are stored. Errors: already_exists (OnConflict::fail), invalid_argument (a
// request that makes no sense; an input that cannot be read twice where it must be), unavailable (is_cancelled), io,
// and what the backend gives.
Result<ImportReport> import_lines(Backend& backend, const ImportRequest& request, std::istream& input,
                                  const ImportObserver& observer = {});

}  // namespace loci
