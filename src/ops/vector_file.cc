#include "ops/vector_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace loci {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are mapped as they stand in the file");

Error refuse(const std::filesystem::path& path, const std::string& why) {
  return {ErrorKind::invalid_argument, path.string() + " " + why};
}

}  // namespace

Result<VectorFile> VectorFile::open(const std::filesystem::path& path, std::size_t dimension) {
  if (dimension == 0) return Error{ErrorKind::invalid_argument, "a vector has at least one dimension"};
  VectorFile file(TRY(MappedFile::open(path)), dimension);
  const std::size_t bytes = file.file_.bytes().size();
  if (bytes == 0) return refuse(path, "is empty; it should hold rows of float32");
  if (bytes % (dimension * sizeof(float)) != 0) {
    return refuse(path, "has " + std::to_string(bytes) + " bytes, which are no whole rows of " +
                            std::to_string(dimension) + " float32 (" + std::to_string(dimension * sizeof(float)) +
                            " bytes each); check --dim");
  }
  for (std::size_t number = 0; number < file.rows(); ++number) {
    const std::span<const float> row = file.row(number);
    if (!std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); }))
      return refuse(path, "has a NaN or an infinity in row " + std::to_string(number));
    if (std::all_of(row.begin(), row.end(), [](float value) { return value == 0; }))
      return refuse(path, "has only zeros in row " + std::to_string(number));
  }
  return file;
}

std::span<const float> VectorFile::values() const {
  const std::span<const std::uint8_t> bytes = file_.bytes();
  // A mapping begins at a page, so it is aligned.
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace loci
