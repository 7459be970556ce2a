#include "store/chroma/folder_search.h"

#include <algorithm>
#include <cmath>

#include "vector/distance.h"

namespace loci::chroma {
namespace {

// The best so far: a heap whose top is the worst of them. For one thread.
class Nearest {
 public:
  Nearest(const Recovered& recovered, std::size_t size) : recovered_(&recovered), size_(size) {}

  bool is_nearer(const FoundRecord& a, const FoundRecord& b) const {
    if (a.distance != b.distance) return a.distance < b.distance;
    return recovered_->records[a.record].id < recovered_->records[b.record].id;
  }
  auto order() const {
    return [this](const FoundRecord& a, const FoundRecord& b) { return is_nearer(a, b); };
  }

  void offer(std::size_t record, float distance) {
    if (std::isnan(distance)) return;
    const FoundRecord found{record, distance};
    if (heap_.size() == size_) {
      if (!is_nearer(found, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), order());
      heap_.pop_back();
    }
    heap_.push_back(found);
    std::push_heap(heap_.begin(), heap_.end(), order());
  }
  // Can nothing at that distance or farther be among the best?
  bool is_beyond(float distance) const { return heap_.size() == size_ && distance > heap_.front().distance; }
  std::vector<FoundRecord> sorted() && {
    std::sort_heap(heap_.begin(), heap_.end(), order());
    return std::move(heap_);
  }

 private:
  const Recovered* recovered_;
  std::size_t size_;
  std::vector<FoundRecord> heap_;
};

// A vector to measure: in its file, where for cosine the direction is enough, or read from the queue.
struct Measured {
  std::span<const float> vector;
  std::optional<Embedding> queued;
};
Result<Measured> vector_to_measure(Connection& connection, const Recovered& recovered, std::size_t record) {
  const VectorPlace& place = recovered.records[record].place;
  Measured measured;
  if (place.kind == VectorPlace::Kind::slot) {
    measured.vector = recovered.segments[place.segment]->stored_vector(static_cast<std::size_t>(place.at));
  } else if (place.kind == VectorPlace::Kind::queue) {
    measured.queued = TRY(vector_at(connection, recovered, place));
    if (measured.queued) measured.vector = *measured.queued;
  }
  return measured;
}

// False: the index cannot say.
Result<bool> offer_candidates(Connection& connection, const Recovered& recovered, const VectorIndex& index,
                              const Embedding& query, std::size_t n_results, const DistanceTo& distance,
                              Nearest& nearest) {
  const auto candidates = index.candidates(query, n_results);
  if (!candidates) return false;
  for (const SegmentCandidate& candidate : *candidates) {
    if (nearest.is_beyond(candidate.least())) break;
    const auto record = static_cast<std::size_t>(candidate.row);
    const Measured measured = TRY(vector_to_measure(connection, recovered, record));
    if (!measured.vector.empty()) nearest.offer(record, distance(measured.vector));
  }
  return true;
}

Status check_whole(const Recovered& recovered) {
  for (const auto& segment : recovered.segments) {
    if (!segment->is_whole())
      return Error{ErrorKind::corruption, segment->path().string() + " was cut off while it was read; try again"};
  }
  return {};
}

}  // namespace

Result<std::vector<std::vector<FoundRecord>>> nearest_records(Connection& connection, const Recovered& recovered,
                                                              DistanceMetric metric,
                                                              const std::vector<Embedding>& queries,
                                                              std::size_t n_results, const std::vector<bool>* passes,
                                                              const VectorIndex* index) {
  std::vector<DistanceTo> distances;
  std::vector<Nearest> nearest;
  for (const Embedding& query : queries) {
    distances.emplace_back(metric, query);
    nearest.emplace_back(recovered, n_results);
  }
  bool is_answered = index != nullptr && passes == nullptr;
  for (std::size_t q = 0; q < queries.size() && is_answered; ++q) {
    is_answered = TRY(offer_candidates(connection, recovered, *index, queries[q], n_results, distances[q], nearest[q]));
  }
  if (!is_answered) {
    std::fill(nearest.begin(), nearest.end(), Nearest(recovered, n_results));
    for (std::size_t i = 0; i < recovered.records.size(); ++i) {
      if (passes != nullptr && !(*passes)[i]) continue;
      const Measured measured = TRY(vector_to_measure(connection, recovered, i));
      if (measured.vector.empty()) continue;
      for (std::size_t q = 0; q < queries.size(); ++q) nearest[q].offer(i, distances[q](measured.vector));
    }
  }
  TRY(check_whole(recovered));
  std::vector<std::vector<FoundRecord>> found;
  for (Nearest& each : nearest) found.push_back(std::move(each).sorted());
  return found;
}

}  // namespace loci::chroma
