// The products of floats: dense steps and attention.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/float_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "embed/float_tile-inl.h"
#include "embed/kernels.h"
#include "embed/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace loci::HWY_NAMESPACE {
namespace {

HWY_ATTR void multiply_float_here(const DenseWeights& weights, const float* in, std::size_t rows, float* out) {
  const FloatProduct product = {.left = in,
                                .left_stride = weights.inputs,
                                .depth = weights.inputs,
                                .right = weights.float_panels,
                                .bias = weights.bias,
                                .out = out,
                                .out_stride = weights.outputs};
  for (std::size_t row = 0; row < rows; row += kTileRows) {
    multiply_block(product, row, std::min(kTileRows, rows - row), weights.outputs);
  }
}

std::size_t padded(std::size_t tokens) { return (tokens + kPanelWidth - 1) / kPanelWidth * kPanelWidth; }

// Keys as panels whose columns are tokens, so that a product with them yields the scores of a query with all tokens.
void pack_keys(const float* keys, std::size_t stride, std::size_t tokens, std::size_t head_size, float* panels) {
  for (std::size_t token = 0; token < padded(tokens); ++token) {
    float* out = panels + token / kPanelWidth * (head_size * kPanelWidth) + token % kPanelWidth;
    for (std::size_t i = 0; i < head_size; ++i) {
      out[i * kPanelWidth] = token < tokens ? keys[token * stride + i] : 0.0F;
    }
  }
}

// Values as panels whose columns are the head's numbers.
void pack_values(const float* values, std::size_t stride, std::size_t tokens, std::size_t head_size, float* panels) {
  for (std::size_t column = 0; column < head_size; column += kPanelWidth) {
    for (std::size_t token = 0; token < tokens; ++token, panels += kPanelWidth) {
      std::copy_n(values + token * stride + column, kPanelWidth, panels);
    }
  }
}

// Turns scores into shares that add up to 1.
HWY_ATTR void softmax_row(float* scores, std::size_t tokens, float scale) {
  const FloatTag tag;
  const std::size_t end = padded(tokens);
  // What stands past the last token gets no share.
  constexpr float kNone = -1e30F;
  std::fill(scores + tokens, scores + end, kNone);
  FloatVector most = hn::Set(tag, kNone);
  for (std::size_t i = 0; i < end; i += kFloatLanes) most = hn::Max(most, hn::LoadU(tag, scores + i));
  most = hn::MaxOfLanes(tag, most);
  FloatVector sum = hn::Zero(tag);
  for (std::size_t i = 0; i < end; i += kFloatLanes) {
    const FloatVector below = hn::Mul(hn::Sub(hn::LoadU(tag, scores + i), most), hn::Set(tag, scale));
    const FloatVector share = exp_of_negative(tag, below);
    sum = hn::Add(sum, share);
    hn::StoreU(share, tag, scores + i);
  }
  const FloatVector inverse = hn::Div(hn::Set(tag, 1.0F), hn::SumOfLanes(tag, sum));
  for (std::size_t i = 0; i < end; i += kFloatLanes) {
    hn::StoreU(hn::Mul(hn::LoadU(tag, scores + i), inverse), tag, scores + i);
  }
}

HWY_ATTR void attend_here(const AttentionShape& shape, const float* query_key_value, float* out, float* scratch) {
  const std::size_t hidden = shape.heads * shape.head_size;
  const std::size_t columns = padded(shape.tokens);
  float* keys = scratch;
  float* values = keys + columns * shape.head_size;
  float* scores = values + columns * shape.head_size;
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape.head_size));

  for (std::size_t head = 0; head < shape.heads; ++head) {
    const float* queries = query_key_value + head * shape.head_size;
    pack_keys(queries + hidden, 3 * hidden, shape.tokens, shape.head_size, keys);
    pack_values(queries + 2 * hidden, 3 * hidden, shape.tokens, shape.head_size, values);
    for (std::size_t row = 0; row < shape.tokens; row += kTileRows) {
      const std::size_t rows = std::min(kTileRows, shape.tokens - row);
      const FloatProduct score = {.left = queries + row * 3 * hidden,
                                  .left_stride = 3 * hidden,
                                  .depth = shape.head_size,
                                  .right = keys,
                                  .bias = nullptr,
                                  .out = scores,
                                  .out_stride = columns};
      multiply_block(score, 0, rows, columns);
      for (std::size_t r = 0; r < rows; ++r) softmax_row(scores + r * columns, shape.tokens, scale);
      const FloatProduct mixture = {.left = scores,
                                    .left_stride = columns,
                                    .depth = shape.tokens,
                                    .right = values,
                                    .bias = nullptr,
                                    .out = out + row * hidden + head * shape.head_size,
                                    .out_stride = hidden};
      multiply_block(mixture, 0, rows, shape.head_size);
    }
  }
}

}  // namespace
}  // namespace loci::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loci {

HWY_EXPORT(multiply_float_here);
HWY_EXPORT(attend_here);

void multiply_float(const DenseWeights& weights, const float* in, std::size_t rows, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_float_here)(weights, in, rows, out);
}

std::size_t attention_scratch_floats(std::size_t tokens, std::size_t head_size) {
  constexpr std::size_t kMostTileRows = 6;
  const std::size_t columns = (tokens + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  return columns * (2 * head_size + kMostTileRows);
}

void attend(const AttentionShape& shape, const float* query_key_value, float* out, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_here)(shape, query_key_value, out, scratch);
}

}  // namespace loci
#endif
