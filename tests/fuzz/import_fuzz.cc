// The lines of an import: whatever is given, reading a line ends in a record or an error; what we accept another JSON
// parser accepts too; and a record that is printed and read again is the same record and prints the same line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ops/line_source.h"
#include "ops/record_line.h"

namespace {

constexpr std::size_t kLongestLineBytes = 4096;  // small, so that lines that are too long are met as well

void require(bool condition) {
  if (!condition) std::abort();
}

void check_line(std::string_view text) {
  const loci::Result<loci::RecordLine> line = loci::parse_record_line(text);
  if (!line.ok()) {
    require(!line.error().message.empty());
    return;
  }
  require(nlohmann::json::accept(text));

  const loci::CollectionInfo collection{.name = line->collection,
                                        .metric = line->metric.value_or(loci::DistanceMetric::cosine),
                                        .dimension = line->dimension,
                                        .model = line->model};
  std::string printed;
  require(loci::append_record_line(printed, collection, line->record, loci::ExportVectors::include).ok());
  if (line->collection.empty()) return;  // an import names one for it
  const loci::Result<loci::RecordLine> again = loci::parse_record_line(printed);
  require(again.ok());
  require(again->record.id == line->record.id && again->record.document == line->record.document);
  require(again->record.metadata == line->record.metadata && again->record.embedding == line->record.embedding);
  std::string printed_again;
  require(loci::append_record_line(printed_again, collection, again->record, loci::ExportVectors::include).ok());
  require(printed_again == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  loci::LineSource lines(input, kLongestLineBytes);
  while (true) {
    const loci::Result<std::optional<loci::SourceLine>> line = lines.next();
    require(line.ok());
    if (!*line) return 0;
    check_line((*line)->text);
  }
}
