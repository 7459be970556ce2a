// The tokenizer and what stands on it: whatever bytes are given, tokens lie in the text, are short valid words in
// order, queries yield only quoted strings, and snippets stay within their size.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "text/query_words.h"
#include "text/snippet.h"
#include "text/tokenizer.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_tokens(loci::Tokenizer& tokenizer, std::string_view text) {
  std::size_t position_start = 0;
  bool is_first = true;
  tokenizer.tokenize(text, loci::TokenizeFor::document, [&](const loci::Token& token) {
    require(token.start < token.end && token.end <= text.size());
    require(token.start >= position_start);
    require(!is_first || !token.colocated);
    require(!token.text.empty() && token.text.size() <= loci::kMaxTokenBytes);
    require(loci::is_valid_utf8(token.text));
    require(token.text.find_first_of(std::string_view(" \"*\0\x1F", 5)) == std::string_view::npos);
    if (!token.colocated) position_start = token.start;
    is_first = false;
    return 0;
  });
  tokenizer.tokenize(text, loci::TokenizeFor::query, [](const loci::Token&) { return 0; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static loci::Tokenizer tokenizer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_tokens(tokenizer, text);

  const std::string expression = loci::fts5_any_word_query(text);
  require(expression.find('\0') == std::string::npos);

  constexpr std::size_t kSnippetBytes = 40;
  const std::string shown = loci::snippet(text, loci::query_terms(text.substr(size / 2)), kSnippetBytes);
  require(shown.size() <= kSnippetBytes && loci::is_valid_utf8(shown));
  for (const loci::Highlight& highlight : loci::highlights(text, loci::query_terms(text.substr(0, size / 2)))) {
    require(highlight.start < highlight.end && highlight.end <= size);
  }
  return 0;
}
