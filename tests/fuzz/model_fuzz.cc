// The files of a model: whatever bytes are given as weights or as a tokenizer, reading them ends in a table that lies
// within the bytes, a tokenizer that yields known tokens, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "embed/onnx_weights.h"
#include "embed/safetensors.h"
#include "embed/tokenizer_file.h"
#include "embed/word_piece_tokenizer.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_weights(std::span<const std::uint8_t> file) {
  const loci::Result<loci::SafetensorsTable> table = loci::parse_safetensors(file, "fuzz");
  if (!table.ok()) return;
  for (const auto& [name, entry] : *table) {
    require(entry.bytes.empty() || (entry.bytes.data() >= file.data() &&
                                    entry.bytes.data() + entry.bytes.size() <= file.data() + file.size()));
  }
}

void check_tokenizer(std::string_view json) {
  const loci::Result<loci::TokenizerFile> file = loci::parse_tokenizer_file(json, "fuzz");
  if (!file.ok()) return;
  const std::span block(reinterpret_cast<const std::uint8_t*>(file->vocabulary.data()), file->vocabulary.size());
  const loci::Result<loci::Vocabulary> vocabulary = loci::Vocabulary::view(block);
  require(vocabulary.ok());
  const loci::Result<loci::WordPieceSettings> settings =
      loci::parse_word_piece_settings(file->settings, *vocabulary, "fuzz");
  if (!settings.ok()) return;
  const loci::WordPieceTokenizer tokenizer(*settings, *vocabulary);
  require(tokenizer.sequence("The drawers, [MASK] na\u00EFve \u65E5\u672C.", 8).size() <= 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  check_weights(bytes);
  if (const auto table = loci::parse_onnx(bytes, "fuzz"); table.ok()) require(!table->tensors.empty());
  check_tokenizer({reinterpret_cast<const char*>(data), size});
  // A damaged vocabulary block is refused, or can be asked for anything.
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(std::uint32_t) == 0) {
    if (const auto vocabulary = loci::Vocabulary::view(bytes); vocabulary.ok()) {
      require(!vocabulary->find("##piece").has_value() || *vocabulary->find("##piece") >= 0);
    }
  }
  return 0;
}
