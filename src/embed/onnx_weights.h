// Reads the weights out of an ONNX file: the initialisers of its graph, and the names of the nodes that use them, since
// exporters keep the names of biases but not of matrices. Nothing is executed. The file is mapped, not loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "embed/tensor_source.h"

namespace loci {

// Numbers as they stand in the file: in one block, or in one of the lists that are used for few of them.
struct OnnxTensor {
  std::uint64_t type = 0;
  std::vector<std::size_t> shape;
  std::span<const std::uint8_t> block;
  std::span<const std::uint8_t> floats;
  std::span<const std::uint8_t> integers;  // of varying length
};

struct OnnxTable {
  std::map<std::string, OnnxTensor, std::less<>> tensors;
  std::map<std::string, std::vector<std::string>, std::less<>> inputs;  // of the node with this name
};

// `name` is the file for messages. Errors: corruption.
Result<OnnxTable> parse_onnx(std::span<const std::uint8_t> file, const std::string& name);

// A model as PyTorch exports it, in float or quantised to bytes; tensors have their PyTorch names and shapes here.
class OnnxWeights final : public TensorSource {
 public:
  // Errors: not_found, io, corruption.
  static Result<std::unique_ptr<OnnxWeights>> open(const std::filesystem::path& path);

  bool contains(std::string_view name) const override;
  Result<std::vector<float>> floats(std::string_view name, std::span<const std::size_t> shape) const override;

 private:
  OnnxWeights(MappedFile file, OnnxTable table, std::string name)
      : file_(std::move(file)), table_(std::move(table)), name_(std::move(name)) {}

  std::string matrix_of(std::string_view weight) const;
  Result<std::vector<float>> numbers(std::string_view name, std::span<const std::size_t> shape) const;

  MappedFile file_;
  OnnxTable table_;
  std::string name_;
};

}  // namespace loci
