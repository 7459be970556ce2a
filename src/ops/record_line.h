// One record as one line of an export. docs/export_format.md describes it for people.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "loci/collection.h"
#include "loci/record.h"
#include "loci/result.h"
#include "ops/export.h"

namespace loci {

// Appends the line with its line end. With ExportVectors::leave_out the model is left out too: it describes vectors,
// and a palace that imports the texts alone is free to embed them with its own. Errors: corruption, for a number that
// JSON cannot hold; nothing is appended then.
Status append_record_line(std::string& out, const CollectionInfo& collection, const Record& record,
                          ExportVectors vectors);

// Which of a record's details a line has; the others may stay as they are stored.
struct NamedDetails {
  bool links = false;
  bool use_count = false;
  bool created_at = false;
  bool updated_at = false;

  bool has_any() const { return links || use_count || created_at || updated_at; }
};

// What a line holds. The record is as the line has it: whether a store would take it is not checked here.
struct RecordLine {
  std::string collection = {};  // empty: the line names none
  Record record = {};
  NamedDetails named = {};
  std::string model = {};  // of the collection; empty: the line names none
  std::optional<DistanceMetric> metric = {};
  std::optional<std::size_t> dimension = {};
};

// The line, with or without its line end. Errors: invalid_argument, saying what and where.
Result<RecordLine> parse_record_line(std::string_view line);

}  // namespace loci
