// The weights of an encoder, laid out for the kernels: views of memory that somebody else keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci {

// Kernels read weights in panels of this many outputs.
inline constexpr std::size_t kPanelWidth = 16;
// Within a panel, inputs that are multiplied by one instruction stand together.
inline constexpr std::size_t kInputGroup = 4;

// out = in * weights + bias. Either float panels or int8 ones are given.
//   float: [outputs / 16][inputs][16]
//   int8:  [outputs / 16][inputs / 4][16][4], each output with a scale of its own
struct DenseWeights {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  const float* bias = nullptr;
  const float* float_panels = nullptr;
  const std::int8_t* int8_panels = nullptr;
  const float* scales = nullptr;
  const std::int32_t* sums = nullptr;  // of the int8 weights of each output
};

struct NormWeights {
  const float* weight = nullptr;
  const float* bias = nullptr;
};

struct LayerWeights {
  DenseWeights query_key_value;  // one matrix for the three
  DenseWeights attention_output;
  NormWeights attention_norm;
  DenseWeights inner;
  DenseWeights output;
  NormWeights output_norm;
};

// A row for each token of the vocabulary: floats, or bytes with a scale for each row.
struct TokenRows {
  const float* floats = nullptr;
  const std::int8_t* bytes = nullptr;
  const float* scales = nullptr;
};

struct EncoderWeights {
  TokenRows tokens;
  const float* positions = nullptr;  // with the row of token type 0 added to each
  NormWeights embedding_norm;
  std::vector<LayerWeights> layers;
};

}  // namespace loci
