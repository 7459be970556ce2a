// A model in one block of bytes, laid out as the kernels and the tokenizer read it, so that it can be mapped from a
// file and used at once.
//
// The block: a header of 128 bytes (magic, version, precision, size, checksum of what follows, identity and hash
// of the files that it was made from), then sections in a fixed order, each a 64-bit length and its bytes, both at
// multiples of 64. Numbers are those of the machine: the block is a cache and goes to no other one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "embed/encoder_weights.h"
#include "embed/model_config.h"
#include "embed/packed_sections.h"
#include "embed/tensor_source.h"
#include "embed/tokenizer_file.h"
#include "embed/vocabulary.h"
#include "loci/result.h"

namespace loci {

enum class Precision : std::uint32_t {
  int8,     // weights and inputs of every product as bytes: fast and small
  float32,  // as the model was published
};

struct PackedModel {
  std::string_view tokenizer_settings;
  Vocabulary vocabulary;
  EncoderWeights weights;
  Sha256 content = {};  // the hash of the files that it was made from
};

// Errors: those of the source.
Result<std::string> pack_model(const TensorSource& source, const ModelConfig& config, const TokenizerFile& tokenizer,
                               Precision precision, const PackedFrom& from);

// Views into the block, which must outlive them. Errors: corruption (damaged, of another version, or made from other
// files).
Result<PackedModel> view_packed_model(std::span<const std::uint8_t> block, const ModelConfig& config,
                                      Precision precision, const Sha256& identity);

}  // namespace loci
