// One ranking out of two: what the words say and what the vectors say about the same records.
//
// Both sides speak in absolute terms: the similarity of two texts, and the share of the question that a record has word
// for word (loci::WordHit). Their weighted sum therefore follows whichever side found something: a question whose rare
// words are there is decided by words, one that shares only common words with the answer by meaning. Scaling each side
// to its own best hit first, as is often done, makes noise look like evidence; docs/decisions/fusion.md has the
// numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"

namespace loci {

// What a full match by words adds, in units of the cosine.
inline constexpr double kWordsWeight = 1.0;

// From a distance to a similarity that is 1 for equal directions; `l2` as for unit vectors.
double similarity_of(DistanceMetric metric, double distance);

struct Candidate {
  std::string id;
  std::optional<double> similarity = {};  // absent: it has no vector, or none was asked for
  double words = 0;                       // 0: none of the words, or not among the best by words

  double score() const { return similarity.value_or(0) + kWordsWeight * words; }
};

// The best `limit` candidates, best first; equal scores by id, so that the same question gives the same answer twice.
std::vector<Candidate> best_of(std::vector<Candidate> candidates, std::size_t limit);

}  // namespace loci
