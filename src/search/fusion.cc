#include "search/fusion.h"

#include <algorithm>
#include <utility>

namespace loci {

double similarity_of(DistanceMetric metric, double distance) {
  switch (metric) {
    case DistanceMetric::cosine:
    case DistanceMetric::ip: return 1 - distance;
    case DistanceMetric::l2: return 1 - distance / 2;
  }
  return 0;
}

double trust_in_meaning(double readable_share) { return readable_share * readable_share; }

std::vector<Candidate> ranked_by_score(std::vector<Candidate> candidates) {
  // A score is computed once for each, not once for each comparison; and numbers move more easily than candidates.
  struct Scored {
    double score;
    std::size_t candidate;
  };
  std::vector<Scored> order;
  order.reserve(candidates.size());
  for (const Candidate& candidate : candidates) order.push_back({candidate.score(), order.size()});
  std::sort(order.begin(), order.end(), [&](const Scored& a, const Scored& b) {
    if (a.score != b.score) return a.score > b.score;
    return candidates[a.candidate].id < candidates[b.candidate].id;
  });
  std::vector<Candidate> ranked;
  ranked.reserve(candidates.size());
  for (const Scored& next : order) ranked.push_back(std::move(candidates[next.candidate]));
  return ranked;
}

}  // namespace loci
