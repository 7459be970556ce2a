// Reads the tokenizer.json of a model. Its vocabulary is half a megabyte of JSON, so it is read once and kept as a
// Vocabulary block; the rest is small and is kept as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "embed/vocabulary.h"
#include "embed/word_piece_tokenizer.h"
#include "loci/result.h"

namespace loci {

struct TokenizerFile {
  std::string settings;    // the JSON without the vocabulary
  std::string vocabulary;  // a Vocabulary block
};

// Errors: not_found, io, corruption (no JSON, or no vocabulary in it).
Result<TokenizerFile> read_tokenizer_file(const std::filesystem::path& path);
Result<TokenizerFile> parse_tokenizer_file(std::string_view json, const std::string& name);

// What TokenizerFile::settings says. `name` is the file for messages. Errors: corruption, unsupported (another kind of
// tokenizer than BERT's).
Result<WordPieceSettings> parse_word_piece_settings(std::string_view settings, const Vocabulary& vocabulary,
                                                    const std::string& name);

}  // namespace loci
