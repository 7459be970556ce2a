#include "ops/bench_embed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace loci {
namespace {

constexpr std::string_view kQuery = "why did we move the mobile client to another query language again";

constexpr std::array<std::string_view, 24> kSpokenWords = {
    "the",     "meeting",  "about",  "storage", "was",     "moved",  "because", "of",
    "a",       "slow",     "query",  "and",     "nobody",  "had",    "time",    "to",
    "rewrite", "indexing", "before", "release", "fifteen", "people", "asked",   "why"};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<double> seconds_to_embed(const Embedder& embedder, const std::vector<std::string>& texts) {
  const auto start = std::chrono::steady_clock::now();
  TRY(embedder.embed(texts));
  return seconds_since(start);
}

// Different texts, so that none is embedded from a cache. The same ones in every run.
std::vector<std::string> make_texts(const TokenCounter& count_tokens, const EmbedBenchOptions& options) {
  std::vector<std::string> texts;
  std::uint32_t state = 1;
  while (texts.size() < options.texts) {
    std::string text;
    std::size_t words = 0;
    // A word is a token at least as a rule, so counting begins late and seldom.
    while (words < options.tokens_per_text &&
           (words % 8 != 0 || words * 2 < options.tokens_per_text || count_tokens(text) < options.tokens_per_text)) {
      state = state * 1664525U + 1013904223U;
      text.append(kSpokenWords[(state >> 16) % kSpokenWords.size()]).append(" ");
      ++words;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space && !in_word) ++words;
    in_word = !is_space;
  }
  return words;
}

Result<EmbedBenchResult> bench_embed(const Embedder& embedder, const TokenCounter& count_tokens,
                                     const EmbedBenchOptions& options) {
  if (options.tokens_per_text == 0 || options.rounds == 0)
    return Error{ErrorKind::invalid_argument, "a bench needs at least one token and one round"};
  const std::vector<std::string> query = {std::string(kQuery)};
  EmbedBenchResult result;
  result.first_query_ms = TRY(seconds_to_embed(embedder, query)) * 1e3;
  result.query_ms = result.first_query_ms;
  if (options.texts == 0) return result;

  const std::vector<std::string> texts = make_texts(count_tokens, options);
  for (const std::string& text : texts) result.tokens += count_tokens(text);
  double best = std::numeric_limits<double>::max();
  for (std::size_t round = 0; round < options.rounds; ++round) {
    result.query_ms = std::min(result.query_ms, TRY(seconds_to_embed(embedder, query)) * 1e3);
    best = std::min(best, TRY(seconds_to_embed(embedder, texts)));
  }
  best = std::max(best, 1e-9);  // a clock may be coarser than a trivial embedder
  result.tokens_per_second = static_cast<double>(result.tokens) / best;
  result.texts_per_second = static_cast<double>(texts.size()) / best;
  return result;
}

}  // namespace loci
