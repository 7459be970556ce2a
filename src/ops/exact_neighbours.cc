#include "ops/exact_neighbours.h"

#include <algorithm>
#include <queue>
#include <set>
#include <thread>

#include "vector/distance.h"

namespace loci {

ExactNeighbours::ExactNeighbours(const VectorFile& base, const VectorFile& queries, DistanceMetric metric,
                                 std::size_t count, const TakesPart& takes_part)
    : base_(base), queries_(queries), metric_(metric), takes_part_(takes_part), farthest_(queries.rows()) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < base.rows(); ++row) {
    if (takes_part(row)) rows.push_back(row);
  }
  count_ = std::min(count, rows.size());
  const auto search = [&](std::size_t query) {
    const DistanceTo distance(metric_, queries_.row(query));
    std::priority_queue<float> nearest;  // the farthest of them on top
    for (const std::size_t row : rows) {
      const float here = distance(base_.row(row));
      if (nearest.size() == count_ && here >= nearest.top()) continue;
      if (nearest.size() == count_) nearest.pop();
      nearest.push(here);
    }
    if (!nearest.empty()) farthest_[query] = nearest.top();
  };
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> workers;
  for (std::size_t first = 0; first < threads; ++first) {
    workers.emplace_back([&, first] {
      for (std::size_t query = first; query < queries_.rows(); query += threads) search(query);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

double ExactNeighbours::recall(const std::vector<std::vector<std::size_t>>& found) const {
  std::size_t right = 0;
  for (std::size_t query = 0; query < found.size(); ++query) {
    const DistanceTo distance(metric_, queries_.row(query));
    std::set<std::size_t> seen;
    for (const std::size_t row : found[query]) {
      const bool counts = row < base_.rows() && takes_part_(row) && seen.insert(row).second;
      if (counts && distance(base_.row(row)) <= farthest_[query]) ++right;
    }
  }
  const std::size_t all = count_ * found.size();
  return all == 0 ? 1 : static_cast<double>(std::min(right, all)) / static_cast<double>(all);
}

}  // namespace loci
