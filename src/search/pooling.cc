#include "search/pooling.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace loci {
namespace {

double soft_maximum(const std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += std::exp((value - most) / kPoolingTemperature);
  return most + kPoolingTemperature * std::log(sum);
}

double pooled_score(const std::vector<Candidate>& drawers, Pooling pooling) {
  std::vector<double> similarities;
  double words = 0;
  double boosts = 0;
  double best = 0;
  for (const Candidate& drawer : drawers) {
    if (drawer.similarity) similarities.push_back(*drawer.similarity);
    words = std::max(words, drawer.words_part());
    boosts = std::max(boosts, drawer.boosts());
    best = std::max(best, drawer.score());
  }
  if (pooling == Pooling::maximum) return best;
  return (similarities.empty() ? 0 : soft_maximum(similarities)) + words + boosts;
}

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score() != b.score()) return a.score() > b.score();
  return a.id < b.id;
}

}  // namespace

std::vector<Candidate> pool_by_source(std::vector<Candidate> drawers, Pooling pooling) {
  std::unordered_map<std::string, std::vector<Candidate>> by_source;
  std::vector<Candidate> pooled;
  for (Candidate& drawer : drawers) {
    if (drawer.source.empty()) {
      pooled.push_back(std::move(drawer));
    } else {
      by_source[drawer.source].push_back(std::move(drawer));
    }
  }
  for (auto& [source, group] : by_source) {
    const double score = pooled_score(group, pooling);
    Candidate& best = *std::min_element(group.begin(), group.end(), is_better);
    best.pooled = score;
    pooled.push_back(std::move(best));
  }
  return pooled;
}

}  // namespace loci
