// What the tests of export and import share: a palace in each of two backends, the embedded one and one in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "ops/export.h"
#include "ops/import.h"

namespace loci::transfer {

// ImportedLine with strings of its own.
struct LineOutcome {
  std::size_t line;
  ImportOutcome outcome;
  std::string id;
  std::string stored_id;
  std::string reason = {};

  friend bool operator==(const LineOutcome&, const LineOutcome&) = default;
};
std::ostream& operator<<(std::ostream& out, const LineOutcome& outcome);

class TransferTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;

  PalaceRef palace(std::string_view name) const { return PalaceRef::at(folder_.path() / name); }

  // A new collection with these records; it fails the test when that is not possible.
  void fill(const PalaceRef& palace, std::string_view collection, const std::vector<Record>& records,
            DistanceMetric metric = DistanceMetric::cosine);
  std::vector<Record> records_of(const PalaceRef& palace, std::string_view collection);
  CollectionInfo info_of(const PalaceRef& palace, std::string_view collection);

  std::string exported(const PalaceRef& palace, ExportVectors vectors = ExportVectors::include);

  // Imports into the palace `target_` with `request_`; what became of the lines is in outcomes_.
  Result<ImportReport> import(const std::string& text);
  Result<ImportReport> import(Backend& backend, const std::string& text);
  // The same, where an error fails the test.
  ImportReport imported(const std::string& text);

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_;
  PalaceRef target_;
  ImportRequest request_;
  std::vector<LineOutcome> outcomes_;
};

}  // namespace loci::transfer
