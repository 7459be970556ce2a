#include "ops/eval_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <string_view>

namespace loci {
namespace {

constexpr std::size_t kSamples = 1'000;
constexpr std::uint64_t kSeed = 20'230'508;

struct Metric {
  std::string_view name;
  double EvalMetrics::*value;
  std::size_t depth = 10;  // how many items it looks at
};
constexpr std::array<Metric, 10> kMetrics = {{
    {"fractional_recall_at_5", &EvalMetrics::fractional_recall_at_5},
    {"fractional_recall_at_10", &EvalMetrics::fractional_recall_at_10},
    {"any_hit_at_5", &EvalMetrics::any_hit_at_5},
    {"any_hit_at_10", &EvalMetrics::any_hit_at_10},
    {"all_hit_at_5", &EvalMetrics::all_hit_at_5},
    {"all_hit_at_10", &EvalMetrics::all_hit_at_10},
    {"recall_at_1", &EvalMetrics::recall_at_1},
    {"recall_at_100", &EvalMetrics::recall_at_100, 100},
    {"mrr", &EvalMetrics::mrr},
    {"ndcg_at_10", &EvalMetrics::ndcg_at_10},
}};

double gain_of(const EvalRow& row, const std::string& item) {
  const auto found = row.gains.find(item);
  return found == row.gains.end() ? 1 : found->second;
}

double discount(std::size_t rank) { return 1 / std::log2(static_cast<double>(rank) + 2); }

double ndcg(const EvalRow& row, const std::set<std::string>& gold, std::size_t depth) {
  double found = 0;
  for (std::size_t i = 0; i < std::min(depth, row.ranked.size()); ++i) {
    if (gold.contains(row.ranked[i])) found += gain_of(row, row.ranked[i]) * discount(i);
  }
  std::vector<double> gains;
  for (const std::string& item : gold) gains.push_back(gain_of(row, item));
  std::sort(gains.begin(), gains.end(), std::greater<>());
  double best = 0;
  for (std::size_t i = 0; i < std::min(depth, gains.size()); ++i) best += gains[i] * discount(i);
  return best > 0 ? found / best : 0;
}

EvalMetrics all_ones() {
  EvalMetrics metrics;
  for (const Metric& metric : kMetrics) metrics.*metric.value = 1;
  return metrics;
}

EvalMetrics mean_of(const std::vector<EvalMetrics>& all) {
  EvalMetrics mean;
  for (const Metric& metric : kMetrics) {
    double sum = 0;
    for (const EvalMetrics& one : all) sum += one.*metric.value;
    mean.*metric.value = all.empty() ? 0 : sum / static_cast<double>(all.size());
  }
  return mean;
}

// The 2.5th and the 97.5th percentile of the means of samples.
void add_interval(const std::vector<EvalMetrics>& all, EvalSummary& summary) {
  std::mt19937_64 random(kSeed);
  std::array<std::vector<double>, kMetrics.size()> means;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    std::array<double, kMetrics.size()> sums = {};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const EvalMetrics& drawn = all[random() % all.size()];
      for (std::size_t m = 0; m < kMetrics.size(); ++m) sums[m] += drawn.*kMetrics[m].value;
    }
    for (std::size_t m = 0; m < kMetrics.size(); ++m) means[m].push_back(sums[m] / static_cast<double>(all.size()));
  }
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    std::sort(means[m].begin(), means[m].end());
    summary.low.*kMetrics[m].value = means[m][kSamples * 25 / 1'000];
    summary.high.*kMetrics[m].value = means[m][kSamples * 975 / 1'000 - 1];
  }
}

}  // namespace

EvalMetrics metrics_of(const EvalRow& row) {
  const std::set<std::string> gold(row.gold.begin(), row.gold.end());
  if (gold.empty()) return all_ones();
  const auto size = static_cast<double>(gold.size());
  const auto found_within = [&](std::size_t depth) {
    double count = 0;
    for (std::size_t i = 0; i < std::min(depth, row.ranked.size()); ++i) count += gold.contains(row.ranked[i]) ? 1 : 0;
    return count;
  };
  const double in_5 = found_within(5);
  const double in_10 = found_within(10);
  EvalMetrics metrics = {.recall_at_1 = found_within(1) / size,
                         .fractional_recall_at_5 = in_5 / size,
                         .fractional_recall_at_10 = in_10 / size,
                         .recall_at_100 = found_within(100) / size,
                         .any_hit_at_5 = in_5 > 0 ? 1.0 : 0.0,
                         .any_hit_at_10 = in_10 > 0 ? 1.0 : 0.0,
                         .all_hit_at_5 = in_5 == size ? 1.0 : 0.0,
                         .all_hit_at_10 = in_10 == size ? 1.0 : 0.0,
                         .ndcg_at_10 = ndcg(row, gold, 10)};
  const auto first =
      std::find_if(row.ranked.begin(), row.ranked.end(), [&](const std::string& item) { return gold.contains(item); });
  if (first != row.ranked.end()) metrics.mrr = 1.0 / static_cast<double>(first - row.ranked.begin() + 1);
  return metrics;
}

std::vector<std::pair<std::string, double>> named(const EvalMetrics& metrics, std::size_t depth) {
  std::vector<std::pair<std::string, double>> values;
  for (const Metric& metric : kMetrics) {
    if (metric.depth <= depth) values.emplace_back(metric.name, metrics.*metric.value);
  }
  return values;
}

EvalSummary summarize(const std::vector<EvalRow>& rows) {
  EvalSummary summary{.questions = rows.size()};
  std::vector<EvalMetrics> all;
  std::vector<EvalMetrics> with_gold;
  for (const EvalRow& row : rows) {
    all.push_back(metrics_of(row));
    if (row.gold.empty()) {
      ++summary.without_gold;
    } else {
      with_gold.push_back(all.back());
    }
  }
  summary.mean = mean_of(all);
  summary.mean_with_gold = mean_of(with_gold);
  if (!all.empty()) add_interval(all, summary);
  return summary;
}

EvalSummary summarize_answerable(const std::vector<EvalRow>& rows) {
  std::vector<EvalRow> answerable;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(answerable),
               [](const EvalRow& row) { return row.is_answerable; });
  return summarize(answerable);
}

std::map<std::string, EvalSummary> summarize_by_category(const std::vector<EvalRow>& rows) {
  std::map<std::string, std::vector<EvalRow>> by_category;
  for (const EvalRow& row : rows) {
    if (!row.category.empty()) by_category[row.category].push_back(row);
  }
  std::map<std::string, EvalSummary> summaries;
  for (const auto& [category, part] : by_category) summaries.emplace(category, summarize(part));
  return summaries;
}

}  // namespace loci
