#include "embed/find_weights.h"

#include <string>
#include <string_view>
#include <system_error>

namespace loci {
namespace {

// In the order of preference: ONNX files that are already quantised come last.
constexpr std::string_view kWeightsNames[] = {"model.safetensors",    "model.fp16.safetensors",
                                              "model.onnx",           "onnx/model.onnx",
                                              "model_quantized.onnx", "onnx/model_quantized.onnx"};

}  // namespace

Result<std::filesystem::path> find_weights(const std::filesystem::path& folder) {
  std::string names;
  for (const std::string_view name : kWeightsNames) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder / name, ignored)) return folder / name;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return Error{ErrorKind::not_found,
               "there are no weights in " + folder.string() + " (" + names + "); fetch the model again"};
}

}  // namespace loci
