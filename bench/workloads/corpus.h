// The records that the benches store: English-like text, unit vectors and the metadata of a drawer. The same seed gives
// the same records on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "loci/record.h"

namespace loci::bench {

struct CorpusShape {
  std::size_t characters = 800;  // of each document, exactly
  std::size_t dimension = 384;   // 0: no vectors
  std::uint64_t seed = 1;
};

// Words follow Zipf's law, as in real text: an index over them has a few long lists and many short ones.
class Corpus {
 public:
  explicit Corpus(const CorpusShape& shape);

  // The next records of an endless sequence; ids are "drawer-0000000", "drawer-0000001", …
  std::vector<Record> next(std::size_t count);

 private:
  std::string sentence_text();
  std::string document();
  Embedding vector();

  CorpusShape shape_;
  std::mt19937_64 random_;
  std::vector<std::string> words_;  // most frequent first
  std::vector<double> cumulative_;  // cumulative_[i]: how likely one of words_[0..i] is
  std::size_t made_ = 0;
};

}  // namespace loci::bench
