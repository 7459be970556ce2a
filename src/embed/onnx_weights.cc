#include "embed/onnx_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "embed/half_float.h"
#include "embed/protobuf_reader.h"

namespace loci {
namespace {

// Numbers of fields and types in onnx.proto.
constexpr std::uint64_t kModelGraph = 7;
constexpr std::uint64_t kGraphNode = 1;
constexpr std::uint64_t kGraphInitializer = 5;
constexpr std::uint64_t kNodeInput = 1;
constexpr std::uint64_t kNodeName = 3;
constexpr std::uint64_t kTensorDims = 1;
constexpr std::uint64_t kTensorType = 2;
constexpr std::uint64_t kTensorFloats = 4;
constexpr std::uint64_t kTensorIntegers = 5;
constexpr std::uint64_t kTensorName = 8;
constexpr std::uint64_t kTensorBlock = 9;
constexpr std::uint64_t kFloat = 1;
constexpr std::uint64_t kUnsignedByte = 2;
constexpr std::uint64_t kSignedByte = 3;
constexpr std::uint64_t kHalf = 10;

Error damaged_weights(const std::string& name, const std::string& reason) {
  return {ErrorKind::corruption, name + " is no sound ONNX file: " + reason + "; fetch the model again"};
}

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

bool parse_tensor(std::span<const std::uint8_t> message, OnnxTable& table) {
  ProtobufReader reader(message);
  OnnxTensor tensor;
  std::string name;
  while (const std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
      case kTensorDims:
        if (field->is_integer) {
          tensor.shape.push_back(field->integer);
        } else {
          for (ProtobufReader dims(field->bytes); const std::optional<std::uint64_t> size = dims.next_integer();) {
            tensor.shape.push_back(*size);
          }
        }
        break;
      case kTensorType: tensor.type = field->integer; break;
      case kTensorFloats: tensor.floats = field->bytes; break;
      case kTensorIntegers: tensor.integers = field->bytes; break;
      case kTensorName: name = text_of(field->bytes); break;
      case kTensorBlock: tensor.block = field->bytes; break;
      default: break;
    }
  }
  table.tensors.insert_or_assign(std::move(name), std::move(tensor));
  return reader.is_sound();
}

bool parse_node(std::span<const std::uint8_t> message, OnnxTable& table) {
  ProtobufReader reader(message);
  std::vector<std::string> inputs;
  std::string name;
  while (const std::optional<ProtobufField> field = reader.next()) {
    if (field->number == kNodeInput) inputs.push_back(text_of(field->bytes));
    if (field->number == kNodeName) name = text_of(field->bytes);
  }
  table.inputs.insert_or_assign(std::move(name), std::move(inputs));
  return reader.is_sound();
}

bool parse_graph(std::span<const std::uint8_t> message, OnnxTable& table) {
  ProtobufReader reader(message);
  while (const std::optional<ProtobufField> field = reader.next()) {
    if (field->number == kGraphInitializer && !parse_tensor(field->bytes, table)) return false;
    if (field->number == kGraphNode && !parse_node(field->bytes, table)) return false;
  }
  return reader.is_sound();
}

// All numbers of a tensor, or nothing for a type that holds no weights.
std::optional<std::vector<float>> all_numbers(const OnnxTensor& tensor) {
  std::vector<float> numbers;
  const std::span<const std::uint8_t> block =
      tensor.type == kFloat && tensor.block.empty() ? tensor.floats : tensor.block;
  switch (tensor.type) {
    case kFloat:
      numbers.resize(block.size() / sizeof(float));
      if (!numbers.empty()) std::memcpy(numbers.data(), block.data(), numbers.size() * sizeof(float));
      return numbers;
    case kHalf:
      for (std::size_t i = 0; i + 1 < block.size(); i += 2) {
        numbers.push_back(half_to_float(static_cast<std::uint16_t>(block[i] | (block[i + 1] << 8))));
      }
      return numbers;
    case kUnsignedByte:
    case kSignedByte:
      for (const std::uint8_t byte : block) {
        numbers.push_back(tensor.type == kSignedByte ? static_cast<float>(static_cast<std::int8_t>(byte))
                                                     : static_cast<float>(byte));
      }
      if (block.empty()) {
        for (ProtobufReader list(tensor.integers); const std::optional<std::uint64_t> value = list.next_integer();) {
          numbers.push_back(static_cast<float>(static_cast<std::int64_t>(*value)));
        }
      }
      return numbers;
    default: return std::nullopt;
  }
}

std::vector<float> transposed(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  std::vector<float> out(values.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) out[column * rows + row] = values[row * columns + column];
  }
  return out;
}

constexpr std::string_view kQuantized = "_quantized";

}  // namespace

Result<OnnxTable> parse_onnx(std::span<const std::uint8_t> file, const std::string& name) {
  ProtobufReader reader(file);
  OnnxTable table;
  while (const std::optional<ProtobufField> field = reader.next()) {
    if (field->number != kModelGraph) continue;
    if (!parse_graph(field->bytes, table)) return damaged_weights(name, "its graph is malformed");
  }
  if (!reader.is_sound()) return damaged_weights(name, "it is malformed or cut short");
  if (table.tensors.empty()) return damaged_weights(name, "it has no weights");
  return table;
}

Result<std::unique_ptr<OnnxWeights>> OnnxWeights::open(const std::filesystem::path& path) {
  MappedFile file = TRY(MappedFile::open(path));
  OnnxTable table = TRY(parse_onnx(file.bytes(), path.string()));
  return std::unique_ptr<OnnxWeights>(new OnnxWeights(std::move(file), std::move(table), path.string()));
}

bool OnnxWeights::contains(std::string_view name) const {
  return table_.tensors.contains(name) || table_.tensors.contains(std::string(name).append(kQuantized));
}

// The initialiser that stands for the weight of a dense step: the node "/encoder/layer.0/output/dense/MatMul" uses that
// of "encoder.layer.0.output.dense.weight". Empty when there is none.
std::string OnnxWeights::matrix_of(std::string_view weight) const {
  constexpr std::string_view kSuffix = ".weight";
  if (!weight.ends_with(kSuffix)) return {};
  weight.remove_suffix(kSuffix.size());
  std::string node = "/";
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const bool is_before_number = i + 1 < weight.size() && weight[i + 1] >= '0' && weight[i + 1] <= '9';
    node += weight[i] == '.' && !is_before_number ? '/' : weight[i];
  }
  for (const std::string_view kind : {"/MatMul", "/MatMul_quant"}) {
    const auto found = table_.inputs.find(std::string(node).append(kind));
    if (found != table_.inputs.end() && found->second.size() >= 2) return found->second[1];
  }
  return {};
}

Result<std::vector<float>> OnnxWeights::floats(std::string_view name, std::span<const std::size_t> shape) const {
  if (contains(name)) return numbers(name, shape);
  std::string matrix = matrix_of(name);
  if (matrix.empty() || shape.size() != 2) return damaged_weights(name_, "tensor " + std::string(name) + " is missing");
  if (matrix.ends_with(kQuantized)) matrix.resize(matrix.size() - kQuantized.size());
  const std::array<std::size_t, 2> turned = {shape[1], shape[0]};
  return transposed(TRY(numbers(matrix, turned)), turned[0], turned[1]);
}

// The numbers of an initialiser; bytes with the scale and the zero that belong to them.
Result<std::vector<float>> OnnxWeights::numbers(std::string_view name, std::span<const std::size_t> shape) const {
  const std::string tensor = "tensor " + std::string(name);
  const auto read = [&](std::string_view suffix) -> std::optional<std::vector<float>> {
    const auto found = table_.tensors.find(std::string(name).append(suffix));
    return found == table_.tensors.end() ? std::nullopt : all_numbers(found->second);
  };
  const bool is_quantized = !table_.tensors.contains(name);
  const auto found = table_.tensors.find(is_quantized ? std::string(name).append(kQuantized) : std::string(name));
  if (found == table_.tensors.end()) return damaged_weights(name_, tensor + " is missing");
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  std::optional<std::vector<float>> values = all_numbers(found->second);
  if (!values)
    return Error{ErrorKind::unsupported, name_ + ": " + tensor + " has numbers of a type that is not supported"};
  if (!std::ranges::equal(found->second.shape, shape) || values->size() != count) {
    return damaged_weights(name_, tensor + " has another shape than config.json asks for");
  }
  if (is_quantized) {
    const std::optional<std::vector<float>> scale = read("_scale");
    const std::optional<std::vector<float>> zero = read("_zero_point");
    if (!scale || !zero || scale->empty() || zero->size() != scale->size() || shape.back() % scale->size() != 0) {
      return damaged_weights(name_, tensor + " lacks its scale or zero point");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i % scale->size();
      (*values)[i] = ((*values)[i] - (*zero)[at]) * (*scale)[at];
    }
  }
  if (!std::ranges::all_of(*values, [](float value) { return std::isfinite(value); })) {
    return damaged_weights(name_, tensor + " holds a number that is not finite");
  }
  return *std::move(values);
}

}  // namespace loci
