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

double together(const std::vector<Candidate>& drawers) {
  std::vector<double> similarities;
  double words = 0;
  for (const Candidate& drawer : drawers) {
    if (drawer.similarity) similarities.push_back(drawer.parts().meaning);
    words = std::max(words, drawer.words_part());
  }
  return (similarities.empty() ? 0 : soft_maximum(similarities)) + words;
}

double pooled_score(const std::vector<Candidate>& drawers, Pooling pooling) {
  double likeness = drawers.front().likeness();
  double own_score = drawers.front().own_score();
  double boosts = 0;
  double source_words = 0;
  for (const Candidate& drawer : drawers) {
    likeness = std::max(likeness, drawer.likeness());
    own_score = std::max(own_score, drawer.own_score());
    boosts = std::max(boosts, drawer.boosts());
    source_words = std::max(source_words, drawer.source_words);
  }
  const double added = kSourceWordsWeight * source_words;
  if (pooling == Pooling::best_drawer) return own_score + added;
  return kBestDrawerWeight * likeness + (1 - kBestDrawerWeight) * together(drawers) + boosts + added;
}

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score() != b.score()) return a.score() > b.score();
  return a.id < b.id;
}

}  // namespace

std::string source_key(const Candidate& candidate) {
  return candidate.source.empty() ? "drawer " + candidate.id : "source " + candidate.source;
}

std::vector<Candidate> pool_by_source(std::vector<Candidate> drawers, Pooling pooling) {
  std::unordered_map<std::string, std::vector<Candidate>> by_source;
  for (Candidate& drawer : drawers) {
    std::vector<Candidate>& group = by_source[source_key(drawer)];
    group.push_back(std::move(drawer));
  }
  std::vector<Candidate> pooled;
  for (auto& [key, group] : by_source) {
    const double score = pooled_score(group, pooling);
    Candidate& best = *std::min_element(group.begin(), group.end(), is_better);
    best.pooled = score;
    pooled.push_back(std::move(best));
  }
  return pooled;
}

}  // namespace loci
