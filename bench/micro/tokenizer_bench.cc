// Question: how fast is text cut into words, which every write waits for? The data are made here from a fixed seed:
// words drawn with the frequencies of natural language (Zipf) from a vocabulary of made-up words with English endings,
// and the same with identifiers in between. A file named in LOCI_BENCH_TEXT is measured as well.
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "base/utf8.h"
#include "text/query_words.h"
#include "text/snippet.h"
#include "text/tokenizer.h"

namespace loci {
namespace {

constexpr std::size_t kTextBytes = 1'000'000;

std::vector<std::string> make_vocabulary(std::mt19937& random, std::size_t size) {
  static constexpr std::string_view kSyllables[] = {"con", "nec", "ta", "me", "mor", "pal", "a",  "ser", "ver", "in",
                                                    "dex", "er",  "qu", "wo", "rd",  "st",  "or", "the", "is",  "of"};
  static constexpr std::string_view kEndings[] = {"", "", "", "", "s", "ed", "ing", "ion", "ly", "er"};
  std::vector<std::string> words;
  for (std::size_t index = 0; index < size; ++index) {
    // Frequent words are short.
    std::string word;
    for (std::size_t count = 1 + index % 2 + (index > 100 ? random() % 3 : 0); count > 0; --count) {
      word += kSyllables[random() % std::size(kSyllables)];
    }
    if (index > 50) word += kEndings[random() % std::size(kEndings)];
    words.push_back(word);
  }
  return words;
}

enum class Kind { prose, code };

std::string make_text(Kind kind) {
  std::mt19937 random(1);
  const std::vector<std::string> words = make_vocabulary(random, 20'000);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto draw = [&]() -> const std::string& {
    // The inverse of a Zipf distribution with exponent 1.
    const double rank = std::exp(unit(random) * std::log(static_cast<double>(words.size())));
    return words[static_cast<std::size_t>(rank) - 1];
  };
  std::string text;
  for (std::size_t count = 0; text.size() < kTextBytes; ++count) {
    text += draw();
    if (kind == Kind::code && count % 3 == 0) {
      std::string second = draw();
      second.front() = static_cast<char>(second.front() & ~0x20);
      text += count % 2 == 0 ? second : "_" + draw() + "::" + draw();
    }
    text += count % 12 == 11 ? ". " : count % 7 == 6 ? ", " : count % 90 == 89 ? "\n" : " ";
  }
  return text;
}

std::string make_chinese() {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < kTextBytes) {
    for (std::size_t count = 5 + random() % 20; count > 0; --count) {
      append_utf8(text, static_cast<char32_t>(0x4E00 + random() % 3000));
    }
    text += "，";
  }
  return text;
}

void tokenize(benchmark::State& state, const std::string& text) {
  Tokenizer tokenizer;
  std::size_t tokens = 0;
  for (auto _ : state) {
    tokenizer.tokenize(text, TokenizeFor::document, [&tokens](const Token& token) {
      benchmark::DoNotOptimize(token.text.data());
      ++tokens;
      return 0;
    });
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<std::size_t>(state.iterations()) * text.size()));
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
}

void tokenize_prose(benchmark::State& state) { tokenize(state, make_text(Kind::prose)); }
void tokenize_code(benchmark::State& state) { tokenize(state, make_text(Kind::code)); }
void tokenize_chinese(benchmark::State& state) { tokenize(state, make_chinese()); }

void tokenize_file(benchmark::State& state) {
  const char* path = std::getenv("LOCI_BENCH_TEXT");
  if (path == nullptr) return state.SkipWithError("set LOCI_BENCH_TEXT to a file");
  const Result<std::string> text = read_file(path);
  if (!text.ok()) return state.SkipWithError(text.error().message.c_str());
  tokenize(state, *text);
}

void validate_utf8(benchmark::State& state) {
  const std::string text = make_text(Kind::prose);
  for (auto _ : state) benchmark::DoNotOptimize(is_valid_utf8(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<std::size_t>(state.iterations()) * text.size()));
}

void make_query(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(fts5_any_word_query("why did we switch to GraphQL in src/net/http_server.cc last week"));
  }
}

void make_snippet(benchmark::State& state) {
  const std::string document = make_text(Kind::prose).substr(0, 2000);
  const std::vector<std::string> terms = query_terms(document.substr(1500, 40));
  for (auto _ : state) benchmark::DoNotOptimize(snippet(document, terms, 200));
}

BENCHMARK(tokenize_prose);
BENCHMARK(tokenize_code);
BENCHMARK(tokenize_chinese);
BENCHMARK(tokenize_file);
BENCHMARK(validate_utf8);
BENCHMARK(make_query);
BENCHMARK(make_snippet);

}  // namespace
}  // namespace loci
