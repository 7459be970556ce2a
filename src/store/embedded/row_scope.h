// Which rows of a collection a statement is about, as SQL: the filter acts inside the search, before any cut.
//
// A filter is always evaluated as a whole by loci_where(). Where it demands a wing or a room, the index on places
// narrows the rows first; that saves work and never decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loci/filter.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

class RowScope {
 public:
  // The filters must outlive the scope. `rows`: only these, besides.
  RowScope(std::int64_t collection, const Filter& where, const DocumentFilter& where_document,
           const std::vector<std::int64_t>* rows = nullptr);

  // "records r … WHERE …", to stand behind FROM; uses the parameters ?1 to ?9. `joins` go between the two.
  std::string from(std::string_view joins = "") const;
  void bind(Statement& statement) const;

 private:
  std::int64_t collection_;
  const Filter& where_;
  const DocumentFilter& where_document_;
  std::optional<Jsonb> rows_;
  std::optional<Jsonb> wings_;
  std::optional<Jsonb> rooms_;
  bool is_one_place_ = false;
};

}  // namespace loci::embedded
