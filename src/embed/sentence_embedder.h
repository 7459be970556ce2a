// The local embedder: a BERT-family sentence model, run by our own forward pass over the weights in its folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embed/encoder.h"
#include "embed/model_folder.h"
#include "embed/packed_model.h"
#include "embed/word_piece_tokenizer.h"
#include "loci/embedder.h"

namespace loci {

// What becomes of a text with more tokens than the model reads at once.
enum class LongText {
  truncate,  // the rest is left out, as Chroma does
  // It is embedded in pieces, up to 64 of them, and their vectors are averaged: other vectors, so the model has another
  // name.
  windows,
};

struct SentenceEmbedderOptions {
  Precision precision = Precision::int8;
  LongText long_text = LongText::truncate;
  std::size_t threads = 2;         // at most, and only where there is work for them
  std::vector<FilePin> pins = {};  // what the files must be
};

class SentenceEmbedder final : public Embedder {
 public:
  // The folder holds config.json, tokenizer.json and model.safetensors, model.fp16.safetensors or model.onnx; its name
  // is the name of the model. The weights are mapped, not loaded; the first time they are packed into a file beside
  // them, which takes a moment. Errors: not_found, corruption, unsupported, naming the file and the reason.
  static Result<std::unique_ptr<SentenceEmbedder>> open(const std::filesystem::path& model_folder,
                                                        SentenceEmbedderOptions options = {});

  // "all-MiniLM-L6-v2"; "all-MiniLM-L6-v2+windows" for LongText::windows.
  std::string model_name() const override { return name_; }
  std::size_t dimension() const override { return encoder_.config().hidden; }

  // Unit vectors. A vector does not depend on the texts beside it. Errors: invalid_argument (not UTF-8), corruption
  // (the packed model was cut off meanwhile; opening anew mends that).
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override;

  // Of the words and pieces that the model was trained with (word_piece_tokenizer.h).
  double readable_share(std::string_view text) const override;

  // How many tokens of the text are embedded, marks of begin and end included.
  std::size_t count_tokens(std::string_view text) const;

  // The numbers that the model is given for a text, cut where LongText::truncate cuts.
  std::vector<TokenId> tokens(std::string_view text) const;

  // Of everything that decides which vectors the model gives: two folders with the same one are the same model.
  std::string fingerprint() const;

  bool is_mapped() const { return model_.is_mapped(); }

 private:
  SentenceEmbedder(std::string name, SentenceEmbedderOptions options, LoadedModel model, WordPieceSettings tokenizer,
                   const ModelConfig& config);

  std::vector<TokenSequence> sequences(std::string_view text) const;
  std::vector<Embedding> encode(std::span<const TokenSequence> sequences) const;

  // Constant after construction.
  std::string name_;
  SentenceEmbedderOptions options_;
  LoadedModel model_;
  WordPieceTokenizer tokenizer_;
  Encoder encoder_;
};

}  // namespace loci
