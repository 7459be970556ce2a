// What every peer of the vector bench does alike: read the files, time the queries, compare with the exact answer, and
// print one line of JSON.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ops/bench_measure.h"
#include "ops/exact_neighbours.h"
#include "ops/vector_file.h"

namespace loci::bench {

inline constexpr std::size_t kNeighbours = 10;
inline constexpr double kWantedRecall = 0.99;

struct PeerFigures {
  std::string system;        // "hnswlib"
  std::string settings;      // "M 16, efC 200, ef 80"
  double load_seconds = 0;   // until the rows were in the store
  double build_seconds = 0;  // until the index was there
  double open_seconds = 0;   // opening the stored index again
  double bytes_per_row = 0;  // of what is stored, with the vectors
  double recall = 0;
  Latency latency;
};

class VectorWorkload {
 public:
  // From --base, --queries and --dim; the distance is cosine. Ends the program with a message when they are wrong.
  VectorWorkload(int argument_count, char** arguments);

  const VectorFile& base() const { return base_; }
  const VectorFile& queries() const { return queries_; }

  using Search = std::function<std::vector<std::size_t>(std::size_t query)>;
  // Asks every query, once to compare and then to time it, and fills in recall and latency.
  void measure(const Search& search, PeerFigures& figures) const;
  // Only the recall.
  double recall(const Search& search) const;

  void print(const PeerFigures& figures) const;

 private:
  VectorFile base_;
  VectorFile queries_;
  ExactNeighbours exact_;
};

// What is in an answer; ends the program with the message of one that is an error.
template <typename Answer>
auto or_end(Answer answer) {
  if (!answer.ok()) {
    std::fprintf(stderr, "%s\n", answer.error().message.c_str());
    std::exit(1);
  }
  return std::move(answer).value();
}

// A unit vector of the same direction: by it, the inner product is the cosine.
std::vector<float> normalized(std::span<const float> vector);

}  // namespace loci::bench
