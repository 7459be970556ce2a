// Input for the random sequence of operations: records, updates, filters and requests from small pools, so that ids
// collide, filters hit and distances tie. The same seed gives the same input everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "loci/collection.h"

namespace loci::conformance {

enum class UseLists { yes, no };
enum class UseKeys { yes, no };
enum class UseWaiting { yes, no };  // records without a vector

class RandomInput {
 public:
  static constexpr std::size_t kDimension = 4;

  RandomInput(std::uint64_t seed, UseLists lists, UseKeys keys, UseWaiting waiting)
      : random_(seed), lists_(lists), keys_(keys), waiting_(waiting) {}

  // 0 to n - 1. (The distributions of the standard library differ between libraries.)
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& pool) {
    return pool[below(pool.size())];
  }

  std::string id();
  std::vector<std::string> ids();
  std::string document();
  // Words that occur in documents.
  std::string words();
  Embedding vector();
  Metadata metadata();
  // A batch of a write, usually a good one.
  std::vector<Record> batch();
  std::vector<RecordUpdate> updates();
  Filter filter(std::size_t depth = 3);
  DocumentFilter document_filter(std::size_t depth = 2);
  // Usually not empty.
  Selection selection();
  Include include();

 private:
  Record record();
  MetadataValue scalar();
  MetadataValue value();
  Filter condition();
  // Makes a batch one that must be refused.
  void spoil(std::vector<Record>& batch);

  std::mt19937_64 random_;
  const UseLists lists_;
  const UseKeys keys_;
  const UseWaiting waiting_;
};

}  // namespace loci::conformance
