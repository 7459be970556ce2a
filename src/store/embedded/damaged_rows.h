// Which rows a damaged palace has, or had, as far as any of its tables and indexes still tells.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct RowIdentity {
  std::int64_t collection = 0;
  std::string id;
};

struct DamagedRows {
  std::vector<std::int64_t> numbers;  // ascending
  // What the index by id says of those that cannot be reached in the table of records.
  std::unordered_map<std::int64_t, RowIdentity> identities;
};

DamagedRows find_damaged_rows(Connection& connection);

}  // namespace loci::embedded
