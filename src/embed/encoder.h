// The forward pass of a BERT encoder: from tokens to one unit vector for each sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "embed/encoder_weights.h"
#include "embed/kernels.h"
#include "embed/model_config.h"
#include "embed/vocabulary.h"
#include "loci/record.h"

namespace loci {

using TokenSequence = std::vector<TokenId>;

// Buffers of one thread, kept from batch to batch.
struct EncoderWorkspace {
  std::vector<float> hidden;
  std::vector<float> projected;
  std::vector<float> query_key_value;
  std::vector<float> context;
  std::vector<float> inner;
  std::vector<float> attention;
  std::vector<std::uint8_t> bytes;
  std::vector<RowScale> scales;
};

// Many threads may use one at once, each with its own workspace.
class Encoder {
 public:
  // The memory behind the weights must outlive the encoder.
  Encoder(ModelConfig config, EncoderWeights weights) : config_(config), weights_(std::move(weights)) {}

  // One vector for each sequence. They stand end to end in every product, so nothing is padded. A sequence has at least
  // one token and at most config().positions, each below config().vocabulary.
  std::vector<Embedding> encode(std::span<const TokenSequence* const> sequences, EncoderWorkspace& workspace) const;

  const ModelConfig& config() const { return config_; }

 private:
  void look_up(const TokenSequence& sequence, float* out) const;
  void run_layer(const LayerWeights& layer, std::span<const TokenSequence* const> sequences, std::size_t rows,
                 EncoderWorkspace& workspace) const;
  Embedding pool(const float* rows, std::size_t count) const;

  ModelConfig config_;
  EncoderWeights weights_;
};

}  // namespace loci
