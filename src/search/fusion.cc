#include "search/fusion.h"

#include <algorithm>

namespace loci {

double similarity_of(DistanceMetric metric, double distance) {
  switch (metric) {
    case DistanceMetric::cosine:
    case DistanceMetric::ip: return 1 - distance;
    case DistanceMetric::l2: return 1 - distance / 2;
  }
  return 0;
}

std::vector<Candidate> ranked_by_score(std::vector<Candidate> candidates) {
  const auto is_better = [](const Candidate& a, const Candidate& b) {
    if (a.score() != b.score()) return a.score() > b.score();
    return a.id < b.id;
  };
  std::sort(candidates.begin(), candidates.end(), is_better);
  return candidates;
}

}  // namespace loci
