// Where the weights of a model come from: named arrays of numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "loci/result.h"

namespace loci {

// Many threads may read at once.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  virtual bool contains(std::string_view name) const = 0;

  // The numbers of one tensor, row by row. Errors: corruption, naming file, tensor and reason: it is not there, has
  // another shape, or holds a number that is not finite; unsupported (a type of numbers that we cannot read).
  virtual Result<std::vector<float>> floats(std::string_view name, std::span<const std::size_t> shape) const = 0;
};

}  // namespace loci
