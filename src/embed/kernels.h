// What the forward pass spends its time on. Each function picks the best instructions of the processor when it runs.
// Matrices are row by row without gaps; widths are multiples of 16. Any thread may call these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "embed/encoder_weights.h"

namespace loci {

// out[rows][outputs] = in[rows][inputs] * weights + bias, with float panels.
void multiply_float(const DenseWeights& weights, const float* in, std::size_t rows, float* out);

// A row of numbers as bytes: value = (byte - zero) * scale.
struct RowScale {
  float scale;
  std::int32_t zero;
};
void quantize_rows(const float* in, std::size_t rows, std::size_t width, std::uint8_t* out, RowScale* scales);

// The same product from bytes and int8 panels. The sums are exact: every processor gives the same ones.
void multiply_int8(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales, std::size_t rows,
                   float* out);

// x * (1 + erf(x / sqrt(2))) / 2 in place; the error is below 1e-6.
void apply_gelu(float* values, std::size_t count);

// Gives each row the mean 0 and the variance 1, then applies weight and bias.
void normalize_rows(const NormWeights& weights, float epsilon, float* values, std::size_t rows, std::size_t width);

// values += added, then normalize_rows.
void add_and_normalize_rows(const NormWeights& weights, float epsilon, const float* added, float* values,
                            std::size_t rows, std::size_t width);

// Attention within one sequence. `query_key_value` has a row of three times heads * head_size for each token. `scratch`
// has room for attention_scratch_floats().
struct AttentionShape {
  std::size_t tokens;
  std::size_t heads;
  std::size_t head_size;
};
std::size_t attention_scratch_floats(std::size_t tokens, std::size_t head_size);
void attend(const AttentionShape& shape, const float* query_key_value, float* out, float* scratch);

}  // namespace loci
