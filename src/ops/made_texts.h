// Texts and questions for benches that have no data of their own. The same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace loci {

// An endless sequence of texts whose words follow Zipf's law, as in real text: a few are in most texts, many in hardly
// any. For one thread.
class TextMaker {
 public:
  explicit TextMaker(std::uint64_t seed) : random_(seed) {}

  // Some 120 words, 800 characters.
  std::string text();

  // Eight words: two that up to a fifth of the texts have, two that up to a tenth have, four rarer ones.
  std::string question();

 private:
  std::string word_between(double from_rank, double to_rank);

  std::mt19937_64 random_;
};

}  // namespace loci
