// Reading one row of a damaged palace: every part of it that can still be read, and the names of those that cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loci/record.h"
#include "store/embedded/damaged_rows.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct SalvagedRow {
  bool has_text = false;
  std::optional<std::int64_t> collection;   // nothing: neither the record nor an index tells
  std::vector<std::string_view> lost = {};  // "id", "metadata", "vector", "links"
  Record record;
};

class SalvageReader {
 public:
  explicit SalvageReader(Connection& connection) : connection_(connection) {}

  // `identity`, if there is one, is what an index says of the row.
  SalvagedRow read(std::int64_t row, const RowIdentity* identity);

 private:
  void read_text(std::int64_t row, SalvagedRow& found);
  Status read_identity(std::int64_t row, SalvagedRow& found);
  Status read_metadata(std::int64_t row, SalvagedRow& found);
  Status read_vector(std::int64_t row, SalvagedRow& found);
  Status read_links(std::int64_t row, SalvagedRow& found);

  Connection& connection_;
  bool should_have_vector_ = false;
  Jsonb own_;
};

}  // namespace loci::embedded
