// Export: a palace as JSON lines, one record a line and nothing else. docs/export_format.md describes the lines.
//
// Collections come in the order of their names, records in insertion order, the fields of a line in a fixed order, so
// two exports of one palace are byte-identical. Importing an export made with vectors gives an equal palace, whose own
// export is byte-identical again. A collection without records leaves no trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "loci/backend.h"
#include "loci/result.h"

namespace loci {

enum class ExportVectors { leave_out, include };

struct ExportRequest {
  PalaceRef palace;
  std::optional<std::string> collection = {};  // absent: all collections
  ExportVectors vectors = ExportVectors::leave_out;
  Access access = Access::read_write;  // nothing is written either way; read_only also leaves out SQLite's own files
};

struct ExportReport {
  std::size_t collections = 0;
  std::size_t records = 0;
  std::size_t without_vector = 0;  // records that still wait for theirs; counted when vectors are included
  std::uint64_t bytes = 0;
};

struct ExportProgress {
  std::string_view collection;
  std::size_t records = 0;  // written so far, of all collections
  std::size_t total = 0;    // records of all collections when the export began
};
using ExportObserver = std::function<void(const ExportProgress&)>;

// Takes the next whole lines, with their line ends. An error ends the export with that error.
using LineSink = std::function<Status(std::string_view lines)>;

// Memory does not grow with the palace. Each collection is exported as it was at one moment, whatever others write
// meanwhile. To write a file, let the sink write to an OutputFile (ops/output_file.h) and publish it at the end.
// Errors: palace_not_found, collection_not_initialized, and what the sink gives.
Result<ExportReport> export_lines(Backend& backend, const ExportRequest& request, const LineSink& sink,
                                  const ExportObserver& observer = {});

}  // namespace loci
