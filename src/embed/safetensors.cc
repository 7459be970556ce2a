#include "embed/safetensors.h"

#include <cmath>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "embed/half_float.h"

namespace loci {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLargestHeader = std::uint64_t{100} << 20;  // the format's own limit

Error damaged_tensors(const std::string& name, const std::string& reason) {
  return {ErrorKind::corruption, name + " is no sound safetensors file: " + reason + "; fetch the model again"};
}

// Bytes of one number; 0 for a type that we do not know.
std::size_t element_size(std::string_view type) {
  if (type == "BOOL" || type == "U8" || type == "I8" || type.starts_with("F8_")) return 1;
  if (type == "F16" || type == "BF16" || type == "I16" || type == "U16") return 2;
  if (type == "F32" || type == "I32" || type == "U32") return 4;
  if (type == "F64" || type == "I64" || type == "U64") return 8;
  return 0;
}

// The number of bytes that the shape asks for, or nothing when it is no list of sizes or too large for any file.
std::optional<std::size_t> bytes_of_shape(const Json& shape, std::size_t element_bytes, std::vector<std::size_t>& out) {
  std::size_t bytes = element_bytes;
  for (const Json& size : shape) {
    if (!size.is_number_unsigned()) return std::nullopt;
    out.push_back(size.get<std::size_t>());
    if (__builtin_mul_overflow(bytes, out.back(), &bytes)) return std::nullopt;
  }
  return bytes;
}

Result<SafetensorsEntry> parse_entry(const Json& json, std::span<const std::uint8_t> data, const std::string& name,
                                     const std::string& tensor) {
  const auto wrong = [&](const char* reason) { return damaged_tensors(name, "tensor " + tensor + " " + reason); };
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets")) {
    return wrong("lacks its type, shape or place");
  }
  const Json& type = json["dtype"];
  const Json& shape = json["shape"];
  const Json& offsets = json["data_offsets"];
  if (!type.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2 ||
      !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
    return wrong("has a malformed type, shape or place");
  }
  SafetensorsEntry entry;
  entry.type = type.get<std::string>();
  const std::size_t element_bytes = element_size(entry.type);
  if (element_bytes == 0) return wrong("has an unknown type");
  const std::optional<std::size_t> size = bytes_of_shape(shape, element_bytes, entry.shape);
  const auto begin = offsets[0].get<std::size_t>();
  const auto end = offsets[1].get<std::size_t>();
  if (begin > end || end > data.size()) return wrong("lies beyond the end of the file, which is cut short");
  if (size != end - begin) return wrong("has another size than its shape");
  entry.bytes = data.subspan(begin, end - begin);
  return entry;
}

template <typename Convert, typename Number>
void convert(std::span<const std::uint8_t> bytes, std::vector<float>& out, Number number, Convert to_float) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    out[i] = to_float(number);
  }
}

}  // namespace

Result<SafetensorsTable> parse_safetensors(std::span<const std::uint8_t> file, const std::string& name) {
  std::uint64_t header_size = 0;
  if (file.size() < sizeof header_size) return damaged_tensors(name, "it is shorter than its header");
  std::memcpy(&header_size, file.data(), sizeof header_size);
  if (header_size > kLargestHeader || header_size > file.size() - sizeof header_size) {
    return damaged_tensors(name, "its header is longer than the file");
  }
  const auto header = file.subspan(sizeof header_size, header_size);
  const auto data = file.subspan(sizeof header_size + header_size);
  const Json json = Json::parse(header.begin(), header.end(), nullptr, false);
  if (!json.is_object()) return damaged_tensors(name, "its header is not a JSON object");

  SafetensorsTable table;
  for (const auto& [tensor, entry] : json.items()) {
    if (tensor == "__metadata__") continue;
    table.emplace(tensor, TRY(parse_entry(entry, data, name, tensor)));
  }
  return table;
}

Result<std::unique_ptr<Safetensors>> Safetensors::open(const std::filesystem::path& path) {
  MappedFile file = TRY(MappedFile::open(path));
  SafetensorsTable table = TRY(parse_safetensors(file.bytes(), path.string()));
  return std::unique_ptr<Safetensors>(new Safetensors(std::move(file), std::move(table), path.string()));
}

Result<std::vector<float>> Safetensors::floats(std::string_view name, std::span<const std::size_t> shape) const {
  const std::string tensor = "tensor " + std::string(name);
  const auto found = table_.find(name);
  if (found == table_.end()) return damaged_tensors(name_, tensor + " is missing");
  const SafetensorsEntry& entry = found->second;
  if (!std::ranges::equal(entry.shape, shape)) {
    return damaged_tensors(name_, tensor + " has another shape than config.json asks for");
  }
  std::vector<float> out(entry.bytes.size() / element_size(entry.type));
  if (entry.type == "F32") {
    convert(entry.bytes, out, float{}, [](float value) { return value; });
  } else if (entry.type == "F16") {
    convert(entry.bytes, out, std::uint16_t{}, half_to_float);
  } else if (entry.type == "BF16") {
    convert(entry.bytes, out, std::uint16_t{}, bfloat16_to_float);
  } else {
    return Error{ErrorKind::unsupported, name_ + ": " + tensor + " has numbers of the type " + entry.type +
                                             "; only F32, F16 and BF16 are supported"};
  }
  if (!std::ranges::all_of(out, [](float value) { return std::isfinite(value); })) {
    return damaged_tensors(name_, tensor + " holds a number that is not finite");
  }
  return out;
}

}  // namespace loci
