// For tests: a sentence model of random numbers, small enough to be computed by plain loops as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "embed/model_config.h"
#include "embed/tensor_source.h"
#include "embed/vocabulary.h"
#include "loci/record.h"

namespace loci {

class TinyModel {
 public:
  explicit TinyModel(std::uint32_t seed = 1);

  // config.json, tokenizer.json and model.safetensors in a folder, which is made.
  void write(const std::filesystem::path& folder) const;
  std::string safetensors() const;
  static std::string config_json();
  static std::string tokenizer_json();

  // The vector of a sequence by the textbook, in double precision.
  Embedding reference_vector(std::span<const TokenId> tokens) const;

  static ModelConfig config();

 private:
  struct Tensor {
    std::vector<std::size_t> shape;
    std::vector<float> values;
  };
  using Rows = std::vector<std::vector<double>>;

  void add(const std::string& name, std::vector<std::size_t> shape, float spread, float middle);
  Rows dense(const Rows& in, const std::string& name) const;
  void normalize(Rows& rows, const std::string& name) const;
  Rows attend(const Rows& hidden, const std::string& layer) const;

  std::map<std::string, Tensor> tensors_;
  std::uint32_t state_;
};

}  // namespace loci
