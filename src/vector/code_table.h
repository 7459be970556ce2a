// The codes of many rows in memory, as a segment is made from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vector/codes.h"

namespace loci {

struct CodeTable {
  std::size_t dimension = 0;
  std::vector<std::int64_t> row_numbers;
  std::vector<RowFactors> factors;
  std::vector<std::int8_t> codes;           // dimension of each row, one after the other
  const std::int8_t* lent_codes = nullptr;  // the same, of somebody else, instead

  std::size_t size() const { return row_numbers.size(); }
  const std::int8_t* codes_of(std::size_t row) const {
    return (lent_codes != nullptr ? lent_codes : codes.data()) + row * dimension;
  }
  // What the codes say the rotated vector is.
  std::vector<float> decoded(std::size_t row) const {
    std::vector<float> values(dimension);
    for (std::size_t i = 0; i < dimension; ++i)
      values[i] = factors[row].scale * (static_cast<float>(codes_of(row)[i]) + 0.5F);
    return values;
  }
};

}  // namespace loci
