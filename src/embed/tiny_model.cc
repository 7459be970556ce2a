#include "embed/tiny_model.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace loci {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLayers = 2;
constexpr std::size_t kHidden = 32;
constexpr std::size_t kHeads = 2;
constexpr std::size_t kInner = 48;
constexpr std::size_t kVocabulary = 64;
constexpr std::size_t kPositions = 24;

double gelu(double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }

}  // namespace

TinyModel::TinyModel(std::uint32_t seed) : state_(seed) {
  add("embeddings.word_embeddings.weight", {kVocabulary, kHidden}, 1.0F, 0.0F);
  add("embeddings.position_embeddings.weight", {kPositions, kHidden}, 0.5F, 0.0F);
  add("embeddings.token_type_embeddings.weight", {2, kHidden}, 0.5F, 0.0F);
  const auto add_norm = [&](const std::string& name) {
    add(name + ".weight", {kHidden}, 0.2F, 1.0F);
    add(name + ".bias", {kHidden}, 0.2F, 0.0F);
  };
  const auto add_dense = [&](const std::string& name, std::size_t inputs, std::size_t outputs) {
    add(name + ".weight", {outputs, inputs}, 0.3F, 0.0F);
    add(name + ".bias", {outputs}, 0.3F, 0.0F);
  };
  add_norm("embeddings.LayerNorm");
  for (std::size_t i = 0; i < kLayers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    for (const char* part : {"query", "key", "value"}) add_dense(layer + ".attention.self." + part, kHidden, kHidden);
    add_dense(layer + ".attention.output.dense", kHidden, kHidden);
    add_norm(layer + ".attention.output.LayerNorm");
    add_dense(layer + ".intermediate.dense", kHidden, kInner);
    add_dense(layer + ".output.dense", kInner, kHidden);
    add_norm(layer + ".output.LayerNorm");
  }
}

void TinyModel::add(const std::string& name, std::vector<std::size_t> shape, float spread, float middle) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  Tensor& tensor = tensors_[name];
  tensor.shape = std::move(shape);
  for (std::size_t i = 0; i < count; ++i) {
    state_ = state_ * 1664525U + 1013904223U;
    tensor.values.push_back(middle + spread * (static_cast<float>(state_ >> 8) / 8388608.0F - 1.0F));
  }
}

ModelConfig TinyModel::config() {
  return {.layers = kLayers,
          .hidden = kHidden,
          .heads = kHeads,
          .inner = kInner,
          .vocabulary = kVocabulary,
          .positions = kPositions,
          .max_tokens = kPositions};
}

std::string TinyModel::config_json() {
  return Json{{"model_type", "bert"},          {"hidden_act", "gelu"},
              {"num_hidden_layers", kLayers},  {"hidden_size", kHidden},
              {"num_attention_heads", kHeads}, {"intermediate_size", kInner},
              {"vocab_size", kVocabulary},     {"max_position_embeddings", kPositions},
              {"layer_norm_eps", 1e-12}}
      .dump();
}

std::string TinyModel::tokenizer_json() {
  Json vocabulary = {{"[PAD]", 0}, {"[UNK]", 1}, {"[CLS]", 2}, {"[SEP]", 3}, {"[MASK]", 4}};
  int next = 5;
  for (const char* piece : {"the", "room", "draw", "##er", "##s", "un", "##draw", ",", ".", "\u65E5"}) {
    vocabulary[piece] = next++;
  }
  for (char letter = 'a'; letter <= 'r'; ++letter) {
    vocabulary[std::string(1, letter)] = next++;
    vocabulary[std::string("##") + letter] = next++;
  }
  Json added = Json::array();
  for (const char* content : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    added.push_back({{"id", vocabulary[content]}, {"content", content}, {"special", true}, {"normalized", false}});
  }
  return Json{{"added_tokens", added},
              {"normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}, {"strip_accents", nullptr}}},
              {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
              {"post_processor", {{"type", "BertProcessing"}, {"cls", {"[CLS]", 2}}, {"sep", {"[SEP]", 3}}}},
              {"model", {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"vocab", vocabulary}}}}
      .dump();
}

std::string TinyModel::safetensors() const {
  Json header;
  std::string data;
  for (const auto& [name, tensor] : tensors_) {
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float));
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + data;
}

void TinyModel::write(const std::filesystem::path& folder) const {
  make_private_folder(folder).value();
  write_file_atomically(folder / "config.json", config_json()).value();
  write_file_atomically(folder / "tokenizer.json", tokenizer_json()).value();
  write_file_atomically(folder / "model.safetensors", safetensors()).value();
}

TinyModel::Rows TinyModel::dense(const Rows& in, const std::string& name) const {
  const Tensor& weight = tensors_.at(name + ".weight");
  const Tensor& bias = tensors_.at(name + ".bias");
  Rows out;
  for (const std::vector<double>& row : in) {
    std::vector<double>& sums = out.emplace_back(bias.values.begin(), bias.values.end());
    for (std::size_t o = 0; o < sums.size(); ++o) {
      for (std::size_t i = 0; i < row.size(); ++i) sums[o] += row[i] * double{weight.values[o * row.size() + i]};
    }
  }
  return out;
}

void TinyModel::normalize(Rows& rows, const std::string& name) const {
  const std::vector<float>& weight = tensors_.at(name + ".weight").values;
  const std::vector<float>& bias = tensors_.at(name + ".bias").values;
  for (std::vector<double>& row : rows) {
    const auto width = static_cast<double>(row.size());
    double mean = 0;
    for (const double value : row) mean += value / width;
    double variance = 0;
    for (const double value : row) variance += (value - mean) * (value - mean) / width;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-12) * double{weight[i]} + double{bias[i]};
    }
  }
}

TinyModel::Rows TinyModel::attend(const Rows& hidden, const std::string& layer) const {
  const Rows queries = dense(hidden, layer + ".attention.self.query");
  const Rows keys = dense(hidden, layer + ".attention.self.key");
  const Rows values = dense(hidden, layer + ".attention.self.value");
  constexpr std::size_t kHeadSize = kHidden / kHeads;
  Rows out(hidden.size(), std::vector<double>(kHidden, 0.0));
  for (std::size_t head = 0; head < kHidden; head += kHeadSize) {
    for (std::size_t q = 0; q < hidden.size(); ++q) {
      std::vector<double> shares;
      double total = 0;
      for (const std::vector<double>& key : keys) {
        double score = 0;
        for (std::size_t i = head; i < head + kHeadSize; ++i) score += queries[q][i] * key[i];
        shares.push_back(std::exp(score / std::sqrt(double{kHeadSize})));
        total += shares.back();
      }
      for (std::size_t k = 0; k < keys.size(); ++k) {
        for (std::size_t i = head; i < head + kHeadSize; ++i) out[q][i] += shares[k] / total * values[k][i];
      }
    }
  }
  return out;
}

Embedding TinyModel::reference_vector(std::span<const TokenId> tokens) const {
  const auto add_rows = [](Rows& to, const Rows& from) {
    for (std::size_t row = 0; row < to.size(); ++row) {
      for (std::size_t i = 0; i < kHidden; ++i) to[row][i] += from[row][i];
    }
  };
  Rows hidden(tokens.size(), std::vector<double>(kHidden));
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    for (std::size_t i = 0; i < kHidden; ++i) {
      const auto token = static_cast<std::size_t>(tokens[row]);
      hidden[row][i] = double{tensors_.at("embeddings.word_embeddings.weight").values[token * kHidden + i]} +
                       double{tensors_.at("embeddings.position_embeddings.weight").values[row * kHidden + i]} +
                       double{tensors_.at("embeddings.token_type_embeddings.weight").values[i]};
    }
  }
  normalize(hidden, "embeddings.LayerNorm");
  for (std::size_t i = 0; i < kLayers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    add_rows(hidden, dense(attend(hidden, layer), layer + ".attention.output.dense"));
    normalize(hidden, layer + ".attention.output.LayerNorm");
    Rows inner = dense(hidden, layer + ".intermediate.dense");
    for (std::vector<double>& row : inner) {
      for (double& value : row) value = gelu(value);
    }
    add_rows(hidden, dense(inner, layer + ".output.dense"));
    normalize(hidden, layer + ".output.LayerNorm");
  }
  Embedding vector(kHidden, 0.0F);
  double squares = 0;
  for (std::size_t i = 0; i < kHidden; ++i) {
    double sum = 0;
    for (const std::vector<double>& row : hidden) sum += row[i];
    vector[i] = static_cast<float>(sum);
    squares += sum * sum;
  }
  for (float& value : vector) value = static_cast<float>(double{value} / std::sqrt(squares));
  return vector;
}

}  // namespace loci
