#include "bench/workloads/corpus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string_view>
#include <unordered_set>

namespace loci::bench {
namespace {

constexpr std::size_t kVocabulary = 20'000;

constexpr std::array<std::string_view, 48> kFunctionWords = {
    "the",  "of",   "and",  "to",    "a",     "in",      "is",    "that", "it",  "we",   "for",  "was",
    "on",   "with", "as",   "this",  "be",    "are",     "not",   "at",   "by",  "from", "have", "or",
    "but",  "they", "you",  "which", "when",  "one",     "all",   "so",   "if",  "has",  "can",  "had",
    "then", "what", "more", "there", "would", "because", "after", "into", "why", "how",  "also", "before"};
constexpr std::array<std::string_view, 24> kOnsets = {"b", "br", "c", "ch", "cl", "d", "f", "fr", "g", "gr", "h", "j",
                                                      "l", "m",  "n", "p",  "pr", "r", "s", "st", "t", "tr", "v", "w"};
constexpr std::array<std::string_view, 10> kVowels = {"a", "e", "i", "o", "u", "ai", "ea", "ee", "ou", "io"};
constexpr std::array<std::string_view, 14> kCodas = {"",  "",   "",   "n",  "r", "s",  "t",
                                                     "l", "nd", "rt", "ck", "m", "st", "ng"};
constexpr std::array<std::string_view, 6> kEndings = {"", "", "", "ing", "ed", "er"};
constexpr std::array<std::string_view, 8> kWings = {"atlas", "beacon", "cedar", "delta",
                                                    "ember", "fjord",  "grove", "harbor"};
constexpr std::array<std::string_view, 10> kRooms = {"api",  "build",    "database", "deploy",   "design",
                                                     "docs", "meetings", "planning", "security", "tests"};

// The standard library's distributions may differ between implementations; these do not.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(random)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(random));
}

template <std::size_t kSize>
std::string_view pick(const std::array<std::string_view, kSize>& choices, std::mt19937_64& random) {
  return choices[random() % kSize];
}

std::string made_up_word(std::mt19937_64& random) {
  std::string word;
  const std::size_t syllables = 1 + random() % 3;
  for (std::size_t i = 0; i < syllables; ++i) {
    word.append(pick(kOnsets, random)).append(pick(kVowels, random)).append(pick(kCodas, random));
  }
  return word.append(pick(kEndings, random));
}

}  // namespace

Corpus::Corpus(const CorpusShape& shape) : shape_(shape), random_(shape.seed) {
  words_.assign(kFunctionWords.begin(), kFunctionWords.end());
  std::unordered_set<std::string> known(words_.begin(), words_.end());
  while (words_.size() < kVocabulary) {
    std::string word = made_up_word(random_);
    if (known.insert(word).second) words_.push_back(std::move(word));
  }
  double sum = 0;
  for (std::size_t rank = 1; rank <= words_.size(); ++rank)
    cumulative_.push_back(sum += 1.0 / static_cast<double>(rank));
  for (double& value : cumulative_) value /= sum;
}

std::string Corpus::sentence_text() {
  std::string text;
  const std::size_t length = 5 + random_() % 15;
  for (std::size_t i = 0; i < length; ++i) {
    const auto at = std::lower_bound(cumulative_.begin(), cumulative_.end(), uniform(random_)) - cumulative_.begin();
    if (i != 0) text += random_() % 12 == 0 ? ", " : " ";
    text += words_[std::min(static_cast<std::size_t>(at), words_.size() - 1)];
  }
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + (random_() % 20 == 0 ? "?" : ".");
}

std::string Corpus::document() {
  std::string text;
  while (text.size() < shape_.characters) {
    if (!text.empty()) text += random_() % 6 == 0 ? "\n\n" : " ";
    text += sentence_text();
  }
  text.resize(shape_.characters);
  return text;
}

Embedding Corpus::vector() {
  Embedding values(shape_.dimension);
  double squares = 0;
  for (float& value : values) {
    value = static_cast<float>(normal(random_));
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double length = std::sqrt(squares);
  for (float& value : values) value = static_cast<float>(value / length);
  return values;
}

std::vector<Record> Corpus::next(std::size_t count) {
  std::vector<Record> records;
  records.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, 32> id{};
    std::snprintf(id.data(), id.size(), "drawer-%07zu", made_++);
    Record record{.id = id.data(), .document = document()};
    record.metadata["wing"] = std::string(pick(kWings, random_));
    record.metadata["room"] = std::string(pick(kRooms, random_));
    record.metadata["chunk_index"] = static_cast<std::int64_t>(random_() % 50);
    if (shape_.dimension != 0) record.embedding = vector();
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace loci::bench
