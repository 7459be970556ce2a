// How fast is an embedder? What `loci bench embed` shows.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

struct EmbedBenchOptions {
  std::size_t texts = 32;  // in the batch; 0: only the question is measured
  std::size_t tokens_per_text = 200;
  std::size_t rounds = 5;  // the best one counts
};

struct EmbedBenchResult {
  double tokens_per_second = 0;  // of the batch
  double texts_per_second = 0;
  double first_query_ms = 0;  // a question of twelve words, right after opening
  double query_ms = 0;        // the best later one
  std::size_t tokens = 0;     // in the batch
};

// Counts the tokens that an embedder makes of a text. An embedder that cannot tell is measured in words.
using TokenCounter = std::function<std::size_t(std::string_view text)>;

// Embeds made-up English texts of about the wanted length. Errors: invalid_argument (another option of zero), and those
// of the embedder.
Result<EmbedBenchResult> bench_embed(const Embedder& embedder, const TokenCounter& count_tokens,
                                     const EmbedBenchOptions& options = {});

// The counter for an embedder that has none of its own.
std::size_t count_words(std::string_view text);

}  // namespace loci
