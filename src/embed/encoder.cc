#include "embed/encoder.h"

#include <algorithm>
#include <cmath>

namespace loci {
namespace {

// Grows and never shrinks: batches differ little.
template <typename T>
T* at_least(std::vector<T>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
  return buffer.data();
}

void multiply(const DenseWeights& weights, const float* in, std::size_t rows, float* out, EncoderWorkspace& workspace) {
  if (weights.float_panels != nullptr) return multiply_float(weights, in, rows, out);
  std::uint8_t* bytes = at_least(workspace.bytes, rows * weights.inputs);
  RowScale* scales = at_least(workspace.scales, rows);
  quantize_rows(in, rows, weights.inputs, bytes, scales);
  multiply_int8(weights, bytes, scales, rows, out);
}

void normalize(Embedding& vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * static_cast<double>(value);
  // A model whose last weights are all zero has no direction to give; a vector must not be zero.
  if (!(squares > 0)) {
    vector.assign(vector.size(), 0.0F);
    vector.front() = 1.0F;
    return;
  }
  const auto inverse = static_cast<float>(1.0 / std::sqrt(squares));
  for (float& value : vector) value *= inverse;
}

}  // namespace

std::vector<Embedding> Encoder::encode(std::span<const TokenSequence* const> sequences,
                                       EncoderWorkspace& workspace) const {
  std::size_t rows = 0;
  for (const TokenSequence* sequence : sequences) rows += sequence->size();
  float* hidden = at_least(workspace.hidden, rows * config_.hidden);
  std::size_t row = 0;
  for (const TokenSequence* sequence : sequences) {
    look_up(*sequence, hidden + row * config_.hidden);
    row += sequence->size();
  }
  normalize_rows(weights_.embedding_norm, config_.layer_norm_epsilon, hidden, rows, config_.hidden);
  for (const LayerWeights& layer : weights_.layers) run_layer(layer, sequences, rows, workspace);

  std::vector<Embedding> vectors;
  row = 0;
  for (const TokenSequence* sequence : sequences) {
    vectors.push_back(pool(hidden + row * config_.hidden, sequence->size()));
    row += sequence->size();
  }
  return vectors;
}

void Encoder::look_up(const TokenSequence& sequence, float* out) const {
  const std::size_t width = config_.hidden;
  const float* position = weights_.positions;
  for (const TokenId token : sequence) {
    const std::size_t begin = static_cast<std::size_t>(token) * width;
    if (weights_.tokens.floats != nullptr) {
      const float* row = weights_.tokens.floats + begin;
      for (std::size_t i = 0; i < width; ++i) out[i] = row[i] + position[i];
    } else {
      const std::int8_t* row = weights_.tokens.bytes + begin;
      const float scale = weights_.tokens.scales[token];
      for (std::size_t i = 0; i < width; ++i) out[i] = static_cast<float>(row[i]) * scale + position[i];
    }
    position += width;
    out += width;
  }
}

void Encoder::run_layer(const LayerWeights& layer, std::span<const TokenSequence* const> sequences, std::size_t rows,
                        EncoderWorkspace& workspace) const {
  const std::size_t width = config_.hidden;
  const float epsilon = config_.layer_norm_epsilon;
  float* hidden = workspace.hidden.data();
  float* projected = at_least(workspace.projected, rows * width);

  float* query_key_value = at_least(workspace.query_key_value, rows * 3 * width);
  multiply(layer.query_key_value, hidden, rows, query_key_value, workspace);
  float* context = at_least(workspace.context, rows * width);
  std::size_t row = 0;
  for (const TokenSequence* sequence : sequences) {
    const AttentionShape shape = {sequence->size(), config_.heads, config_.head_size()};
    float* scratch = at_least(workspace.attention, attention_scratch_floats(shape.tokens, shape.head_size));
    attend(shape, query_key_value + row * 3 * width, context + row * width, scratch);
    row += sequence->size();
  }
  multiply(layer.attention_output, context, rows, projected, workspace);
  add_and_normalize_rows(layer.attention_norm, epsilon, projected, hidden, rows, width);

  float* inner = at_least(workspace.inner, rows * config_.inner);
  multiply(layer.inner, hidden, rows, inner, workspace);
  apply_gelu(inner, rows * config_.inner);
  multiply(layer.output, inner, rows, projected, workspace);
  add_and_normalize_rows(layer.output_norm, epsilon, projected, hidden, rows, width);
}

Embedding Encoder::pool(const float* rows, std::size_t count) const {
  Embedding vector(rows, rows + config_.hidden);
  if (config_.pooling == Pooling::mean) {
    for (std::size_t row = 1; row < count; ++row) {
      for (std::size_t i = 0; i < config_.hidden; ++i) vector[i] += rows[row * config_.hidden + i];
    }
  }
  normalize(vector);
  return vector;
}

}  // namespace loci
