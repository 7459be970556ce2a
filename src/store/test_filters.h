// What the tests of filters and of the contract share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "loci/filter.h"
#include "loci/metadata.h"
#include "loci/result.h"

namespace loci {

inline Filter leaf(std::string key, FilterOperator op, std::vector<MetadataValue> operands) {
  return Filter::of({.key = std::move(key), .op = op, .operands = std::move(operands)});
}

inline MetadataValue whole(std::int64_t value) { return value; }

// Of a status that must be an error.
inline ErrorKind kind_of(const Status& status) {
  EXPECT_FALSE(status.ok());
  return status.ok() ? ErrorKind::internal : status.error().kind;
}

}  // namespace loci
