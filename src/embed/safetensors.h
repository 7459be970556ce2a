// Reads a safetensors file: eight bytes with the length of a JSON header, the header (name, type, shape and place of
// each tensor), then the numbers. The file is mapped, not loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "embed/tensor_source.h"

namespace loci {

struct SafetensorsEntry {
  std::string type;  // "F16"
  std::vector<std::size_t> shape;
  std::span<const std::uint8_t> bytes;
};
using SafetensorsTable = std::map<std::string, SafetensorsEntry, std::less<>>;

// The table of contents of a file's bytes, all of it within them; `name` is the file for messages. Errors: corruption.
Result<SafetensorsTable> parse_safetensors(std::span<const std::uint8_t> file, const std::string& name);

class Safetensors final : public TensorSource {
 public:
  // Errors: not_found, io, corruption.
  static Result<std::unique_ptr<Safetensors>> open(const std::filesystem::path& path);

  bool contains(std::string_view name) const override { return table_.contains(name); }
  Result<std::vector<float>> floats(std::string_view name, std::span<const std::size_t> shape) const override;

 private:
  Safetensors(MappedFile file, SafetensorsTable table, std::string name)
      : file_(std::move(file)), table_(std::move(table)), name_(std::move(name)) {}

  MappedFile file_;
  SafetensorsTable table_;
  std::string name_;
};

}  // namespace loci
