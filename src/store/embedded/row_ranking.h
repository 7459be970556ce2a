// Ranking rows by the exact distance of their vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loci::embedded {

struct RankedRow {
  std::int64_t row = 0;
  double value = 0;  // a distance (smaller is better) or a score (larger is better)
};

// The n nearest rows seen so far, equal distances by id: a heap whose top is the worst of them. For one thread.
class NearestRows {
 public:
  explicit NearestRows(std::size_t size) : size_(size) {}

  bool is_full() const { return heap_.size() == size_; }
  // Of the worst one; there is one.
  float farthest() const { return heap_.front().distance; }

  void offer(float distance, std::string_view id, std::int64_t row) {
    if (is_full()) {
      const Candidate& worst = heap_.front();
      if (distance > worst.distance || (distance == worst.distance && id >= worst.id)) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back({distance, std::string(id), row});
    std::push_heap(heap_.begin(), heap_.end());
  }

  std::vector<RankedRow> sorted() && {
    std::sort_heap(heap_.begin(), heap_.end());
    std::vector<RankedRow> rows;
    for (const Candidate& candidate : heap_) rows.push_back({candidate.row, candidate.distance});
    return rows;
  }

 private:
  struct Candidate {
    float distance;
    std::string id;
    std::int64_t row;

    // The order of the answer, so that the same question gives the same answer twice.
    friend bool operator<(const Candidate& a, const Candidate& b) {
      if (a.distance != b.distance) return a.distance < b.distance;
      return a.id < b.id;
    }
  };

  std::size_t size_;
  std::vector<Candidate> heap_;
};

}  // namespace loci::embedded
