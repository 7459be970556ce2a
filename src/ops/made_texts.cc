#include "ops/made_texts.h"

#include <cmath>

namespace loci {
namespace {

constexpr double kVocabulary = 20'000;
constexpr int kWordsPerText = 120;

// Syllables that no stemmer shortens; every number has a word of its own.
std::string made_word(std::size_t number) {
  constexpr std::string_view kConsonants = "bdfgklmnprtvwz";
  constexpr std::string_view kVowels = "aou";
  std::string word;
  for (int syllable = 0; syllable < 3 || number > 0; ++syllable) {
    word.push_back(kConsonants[number % kConsonants.size()]);
    number /= kConsonants.size();
    word.push_back(kVowels[number % kVowels.size()]);
    number /= kVowels.size();
  }
  return word;
}

}  // namespace

std::string TextMaker::word_between(double from_rank, double to_rank) {
  // The standard library's distributions may differ between implementations; this does not. A rank is drawn with a
  // likelihood of one by the rank.
  const double part = static_cast<double>(random_() >> 11) * 0x1.0p-53;
  return made_word(static_cast<std::size_t>(from_rank * std::pow(to_rank / from_rank, part)));
}

std::string TextMaker::text() {
  std::string text;
  for (int i = 0; i < kWordsPerText; ++i) text += (i == 0 ? "" : " ") + word_between(1, kVocabulary);
  return text;
}

std::string TextMaker::question() {
  struct Band {
    double from_rank;
    double to_rank;
  };
  constexpr Band kBands[] = {{60, 120}, {120, 400}, {400, 2'500}, {2'500, kVocabulary}};
  std::string question;
  for (const Band& band : kBands) {
    for (int i = 0; i < 2; ++i) question += (question.empty() ? "" : " ") + word_between(band.from_rank, band.to_rank);
  }
  return question;
}

}  // namespace loci
