#include "embed/packed_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "embed/packed_sections.h"

namespace loci {
namespace {

using Floats = std::vector<float>;

// A matrix as the source has it: a row of inputs for each output.
struct DenseSource {
  std::size_t inputs;
  std::size_t outputs;
  Floats weights;
  Floats bias;
};

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Bytes from -127 to 127; the scale that gives the values back.
float quantize(std::span<const float> values, std::int8_t* out) {
  const float largest = largest_magnitude(values);
  const float scale = largest > 0 ? largest / 127.0F : 1.0F;
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<std::int8_t>(std::lround(values[i] / scale));
  return scale;
}

void write_float_panels(SectionWriter& writer, const DenseSource& dense) {
  Floats panels(dense.weights.size());
  for (std::size_t output = 0; output < dense.outputs; ++output) {
    float* panel = panels.data() + output / kPanelWidth * (dense.inputs * kPanelWidth) + output % kPanelWidth;
    for (std::size_t i = 0; i < dense.inputs; ++i) panel[i * kPanelWidth] = dense.weights[output * dense.inputs + i];
  }
  writer.add<float>(panels);
}

void write_int8_panels(SectionWriter& writer, const DenseSource& dense) {
  std::vector<std::int8_t> panels(dense.weights.size());
  std::vector<std::int8_t> row(dense.inputs);
  Floats scales;
  std::vector<std::int32_t> sums;
  for (std::size_t output = 0; output < dense.outputs; ++output) {
    scales.push_back(quantize(std::span(dense.weights).subspan(output * dense.inputs, dense.inputs), row.data()));
    std::int32_t sum = 0;
    std::int8_t* panel =
        panels.data() + output / kPanelWidth * (dense.inputs * kPanelWidth) + output % kPanelWidth * kInputGroup;
    for (std::size_t i = 0; i < dense.inputs; ++i) {
      panel[i / kInputGroup * (kPanelWidth * kInputGroup) + i % kInputGroup] = row[i];
      sum += row[i];
    }
    sums.push_back(sum);
  }
  writer.add<std::int8_t>(panels);
  writer.add<float>(scales);
  writer.add<std::int32_t>(sums);
}

void write_dense(SectionWriter& writer, const DenseSource& dense, Precision precision) {
  writer.add<float>(dense.bias);
  if (precision == Precision::float32) return write_float_panels(writer, dense);
  write_int8_panels(writer, dense);
}

void write_token_rows(SectionWriter& writer, const Floats& rows, std::size_t width, Precision precision) {
  if (precision == Precision::float32) return writer.add<float>(rows);
  std::vector<std::int8_t> bytes(rows.size());
  Floats scales;
  for (std::size_t at = 0; at < rows.size(); at += width) {
    scales.push_back(quantize(std::span(rows).subspan(at, width), bytes.data() + at));
  }
  writer.add<std::int8_t>(bytes);
  writer.add<float>(scales);
}

// Reads the tensors of a BERT model by their usual names, with or without "bert." before them.
class BertTensors {
 public:
  BertTensors(const TensorSource& source, const ModelConfig& config)
      : source_(source),
        config_(config),
        prefix_(source.contains("bert.embeddings.word_embeddings.weight") ? "bert." : "") {}

  Result<Floats> floats(const std::string& name, std::initializer_list<std::size_t> shape) const {
    return source_.floats(prefix_ + name, std::span(shape.begin(), shape.size()));
  }

  Result<DenseSource> dense(const std::string& name, std::size_t inputs, std::size_t outputs) const {
    Floats weights = TRY(floats(name + ".weight", {outputs, inputs}));
    Floats bias = TRY(floats(name + ".bias", {outputs}));
    return DenseSource{inputs, outputs, std::move(weights), std::move(bias)};
  }

  Result<DenseSource> query_key_value(const std::string& layer) const {
    DenseSource all = {config_.hidden, 3 * config_.hidden, {}, {}};
    for (const char* part : {"query", "key", "value"}) {
      const DenseSource one = TRY(dense(layer + ".attention.self." + part, config_.hidden, config_.hidden));
      all.weights.insert(all.weights.end(), one.weights.begin(), one.weights.end());
      all.bias.insert(all.bias.end(), one.bias.begin(), one.bias.end());
    }
    return all;
  }

  // All sequences are of token type 0.
  Result<Floats> positions() const {
    Floats rows = TRY(floats("embeddings.position_embeddings.weight", {config_.positions, config_.hidden}));
    const Floats types = TRY(floats("embeddings.token_type_embeddings.weight", {2, config_.hidden}));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += types[i % config_.hidden];
    return rows;
  }

 private:
  const TensorSource& source_;
  const ModelConfig& config_;
  std::string prefix_;
};

Status write_norm(SectionWriter& writer, const BertTensors& tensors, const std::string& name, std::size_t width) {
  writer.add<float>(TRY(tensors.floats(name + ".weight", {width})));
  writer.add<float>(TRY(tensors.floats(name + ".bias", {width})));
  return ok_status();
}

Status write_layer(SectionWriter& writer, const BertTensors& tensors, const std::string& layer,
                   const ModelConfig& config, Precision precision) {
  const std::size_t hidden = config.hidden;
  write_dense(writer, TRY(tensors.query_key_value(layer)), precision);
  write_dense(writer, TRY(tensors.dense(layer + ".attention.output.dense", hidden, hidden)), precision);
  TRY(write_norm(writer, tensors, layer + ".attention.output.LayerNorm", hidden));
  write_dense(writer, TRY(tensors.dense(layer + ".intermediate.dense", hidden, config.inner)), precision);
  write_dense(writer, TRY(tensors.dense(layer + ".output.dense", config.inner, hidden)), precision);
  return write_norm(writer, tensors, layer + ".output.LayerNorm", hidden);
}

Result<DenseWeights> read_dense(SectionReader& reader, std::size_t inputs, std::size_t outputs, Precision precision) {
  DenseWeights dense = {.inputs = inputs, .outputs = outputs};
  dense.bias = TRY(reader.next_array<float>(outputs));
  if (precision == Precision::float32) {
    dense.float_panels = TRY(reader.next_array<float>(inputs * outputs));
    return dense;
  }
  dense.int8_panels = TRY(reader.next_array<std::int8_t>(inputs * outputs));
  dense.scales = TRY(reader.next_array<float>(outputs));
  dense.sums = TRY(reader.next_array<std::int32_t>(outputs));
  return dense;
}

Result<NormWeights> read_norm(SectionReader& reader, std::size_t width) {
  NormWeights norm;
  norm.weight = TRY(reader.next_array<float>(width));
  norm.bias = TRY(reader.next_array<float>(width));
  return norm;
}

Result<LayerWeights> read_layer(SectionReader& reader, const ModelConfig& config, Precision precision) {
  const std::size_t hidden = config.hidden;
  LayerWeights layer;
  layer.query_key_value = TRY(read_dense(reader, hidden, 3 * hidden, precision));
  layer.attention_output = TRY(read_dense(reader, hidden, hidden, precision));
  layer.attention_norm = TRY(read_norm(reader, hidden));
  layer.inner = TRY(read_dense(reader, hidden, config.inner, precision));
  layer.output = TRY(read_dense(reader, config.inner, hidden, precision));
  layer.output_norm = TRY(read_norm(reader, hidden));
  return layer;
}

Result<TokenRows> read_token_rows(SectionReader& reader, const ModelConfig& config, Precision precision) {
  const std::size_t count = config.vocabulary * config.hidden;
  TokenRows rows;
  if (precision == Precision::float32) {
    rows.floats = TRY(reader.next_array<float>(count));
    return rows;
  }
  rows.bytes = TRY(reader.next_array<std::int8_t>(count));
  rows.scales = TRY(reader.next_array<float>(config.vocabulary));
  return rows;
}

}  // namespace

Result<std::string> pack_model(const TensorSource& source, const ModelConfig& config, const TokenizerFile& tokenizer,
                               Precision precision, const PackedFrom& from) {
  const BertTensors tensors(source, config);
  SectionWriter writer;
  writer.add_bytes(tokenizer.settings);
  writer.add_bytes(tokenizer.vocabulary);
  write_token_rows(writer, TRY(tensors.floats("embeddings.word_embeddings.weight", {config.vocabulary, config.hidden})),
                   config.hidden, precision);
  writer.add<float>(TRY(tensors.positions()));
  TRY(write_norm(writer, tensors, "embeddings.LayerNorm", config.hidden));
  for (std::size_t i = 0; i < config.layers; ++i) {
    TRY(write_layer(writer, tensors, "encoder.layer." + std::to_string(i), config, precision));
  }
  return std::move(writer).finish(static_cast<std::uint32_t>(precision), from);
}

Result<PackedModel> view_packed_model(std::span<const std::uint8_t> block, const ModelConfig& config,
                                      Precision precision, const Sha256& identity) {
  SectionReader reader = TRY(SectionReader::open(block, static_cast<std::uint32_t>(precision), identity));
  PackedModel model;
  model.content = reader.content();
  const std::span<const std::uint8_t> settings = TRY(reader.next());
  model.tokenizer_settings = {reinterpret_cast<const char*>(settings.data()), settings.size()};
  model.vocabulary = TRY(Vocabulary::view(TRY(reader.next())));
  model.weights.tokens = TRY(read_token_rows(reader, config, precision));
  model.weights.positions = TRY(reader.next_array<float>(config.positions * config.hidden));
  model.weights.embedding_norm = TRY(read_norm(reader, config.hidden));
  for (std::size_t i = 0; i < config.layers; ++i) {
    model.weights.layers.push_back(TRY(read_layer(reader, config, precision)));
  }
  return model;
}

}  // namespace loci
