// Records of every shape that the storage contract allows, for tests that nothing is lost on a way. The same seed gives
// the same records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "loci/record.h"

namespace loci::transfer {

class RecordGenerator {
 public:
  explicit RecordGenerator(std::uint64_t seed) : random_(seed) {}

  // With distinct ids and keys; some without a vector.
  std::vector<Record> records(std::size_t count, std::size_t dimension);

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string text(std::size_t most_characters);
  double real();
  std::int64_t integer();
  MetadataValue value();
  Embedding vector(std::size_t dimension);
  RecordDetails details(std::size_t number);

  std::mt19937_64 random_;
};

}  // namespace loci::transfer
