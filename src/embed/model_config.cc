#include "embed/model_config.h"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace loci {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestConfigBytes = std::size_t{1} << 20;
constexpr std::size_t kDefaultMaxTokens = 256;  // what Chroma cuts at
constexpr std::size_t kLargestSize = std::size_t{1} << 20;

Result<Json> read_object(const std::filesystem::path& path) {
  Json json = Json::parse(TRY(read_file(path, kLargestConfigBytes)), nullptr, false);
  if (!json.is_object()) return Error{ErrorKind::corruption, path.string() + " is not a JSON object"};
  return json;
}

// Null for a file that is not there.
Result<Json> read_optional_object(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Json();
  return read_object(path);
}

Result<std::size_t> size_member(const Json& json, const char* key, const std::filesystem::path& path) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer() || *found < 1 || *found > kLargestSize) {
    return Error{ErrorKind::corruption, path.string() + ": " + key + " is missing or no sensible number"};
  }
  return found->get<std::size_t>();
}

Status require_text(const Json& json, const char* key, std::string_view supported, const std::filesystem::path& path) {
  const auto found = json.find(key);
  if (found == json.end() || *found == supported) return ok_status();
  return Error{ErrorKind::unsupported, path.string() + ": " + key + " " + found->dump() + " is not supported, only \"" +
                                           std::string(supported) + "\""};
}

Status check_widths(const ModelConfig& config, const std::filesystem::path& path) {
  const auto fits = [](std::size_t width) { return width % kWidthUnit == 0; };
  if (config.hidden % config.heads == 0 && fits(config.head_size()) && fits(config.inner)) return ok_status();
  return Error{ErrorKind::unsupported,
               path.string() + ": hidden_size / num_attention_heads and intermediate_size must be multiples of 16"};
}

Result<Pooling> read_pooling(const std::filesystem::path& path) {
  const Json json = TRY(read_optional_object(path));
  const auto is_on = [&](const char* key) { return json.is_object() && json.value(key, Json(false)) == true; };
  if (is_on("pooling_mode_max_tokens") || is_on("pooling_mode_mean_sqrt_len_tokens") ||
      is_on("pooling_mode_weightedmean_tokens") || is_on("pooling_mode_lasttoken")) {
    return Error{ErrorKind::unsupported, path.string() + ": only the pooling modes mean and cls are supported"};
  }
  return is_on("pooling_mode_cls_token") ? Pooling::first_token : Pooling::mean;
}

// A model with more steps than transformer, pooling and normalising would get wrong vectors.
Status check_modules(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return ok_status();
  const std::string text = TRY(read_file(path, kLargestConfigBytes));
  if (text.find("models.Dense") == std::string::npos) return ok_status();
  return Error{ErrorKind::unsupported,
               path.string() + ": a model with a Dense step after its pooling is not supported"};
}

}  // namespace

Result<ModelConfig> read_model_config(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "config.json";
  const Json json = TRY(read_object(path));
  TRY(require_text(json, "model_type", "bert", path));
  TRY(require_text(json, "hidden_act", "gelu", path));
  TRY(require_text(json, "position_embedding_type", "absolute", path));
  TRY(check_modules(folder / "modules.json"));

  ModelConfig config;
  config.layers = TRY(size_member(json, "num_hidden_layers", path));
  config.hidden = TRY(size_member(json, "hidden_size", path));
  config.heads = TRY(size_member(json, "num_attention_heads", path));
  config.inner = TRY(size_member(json, "intermediate_size", path));
  config.vocabulary = TRY(size_member(json, "vocab_size", path));
  config.positions = TRY(size_member(json, "max_position_embeddings", path));
  if (const auto epsilon = json.find("layer_norm_eps"); epsilon != json.end() && epsilon->is_number()) {
    config.layer_norm_epsilon = epsilon->get<float>();
  }
  TRY(check_widths(config, path));
  config.pooling = TRY(read_pooling(folder / "1_Pooling" / "config.json"));

  config.max_tokens = kDefaultMaxTokens;
  const std::filesystem::path sentence_path = folder / "sentence_bert_config.json";
  if (const Json sentence = TRY(read_optional_object(sentence_path)); sentence.contains("max_seq_length")) {
    config.max_tokens = TRY(size_member(sentence, "max_seq_length", sentence_path));
  }
  config.max_tokens = std::min(config.max_tokens, config.positions);
  if (config.max_tokens < 3) {
    return Error{ErrorKind::unsupported, path.string() + ": a model for less than three tokens is not supported"};
  }
  return config;
}

}  // namespace loci
