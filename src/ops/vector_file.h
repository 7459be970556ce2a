// A file of raw float32 rows, little end first, without a header: what benches read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "base/mapped_file.h"
#include "loci/result.h"

namespace loci {

// Many threads may read it at once.
class VectorFile {
 public:
  // Errors: not_found, io; invalid_argument for a file that is empty or does not hold whole rows, and for a row with a
  // NaN, an infinity or only zeros, naming it.
  static Result<VectorFile> open(const std::filesystem::path& path, std::size_t dimension);

  std::size_t rows() const { return values().size() / dimension_; }
  std::size_t dimension() const { return dimension_; }
  std::span<const float> row(std::size_t number) const { return values().subspan(number * dimension_, dimension_); }

 private:
  VectorFile(MappedFile file, std::size_t dimension) : file_(std::move(file)), dimension_(dimension) {}
  std::span<const float> values() const;

  MappedFile file_;
  std::size_t dimension_;
};

}  // namespace loci
