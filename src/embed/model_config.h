// The shape of a sentence model, as the files of its folder say it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "loci/result.h"

namespace loci {

enum class Pooling {
  mean,         // of the vectors of all tokens
  first_token,  // the vector of [CLS]
};

struct ModelConfig {
  std::size_t layers = 0;
  std::size_t hidden = 0;  // the dimension of the vectors
  std::size_t heads = 0;
  std::size_t inner = 0;  // width of the feed-forward step
  std::size_t vocabulary = 0;
  std::size_t positions = 0;   // the longest sequence that the weights know
  std::size_t max_tokens = 0;  // where a text is cut, marks of begin and end included
  float layer_norm_epsilon = 1e-12F;
  Pooling pooling = Pooling::mean;

  std::size_t head_size() const { return hidden / heads; }
};

// Vectors are processed in pieces of this many numbers, so widths are multiples of it.
inline constexpr std::size_t kWidthUnit = 16;

// Reads config.json and, where the folder has them, the files of the sentence-transformers layout:
// sentence_bert_config.json (max_seq_length; 256 without it) and 1_Pooling/config.json (the mean without it).
// Errors: not_found, corruption, unsupported (what our forward pass cannot do, named).
Result<ModelConfig> read_model_config(const std::filesystem::path& folder);

}  // namespace loci
