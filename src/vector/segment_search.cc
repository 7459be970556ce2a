#include "vector/segment_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>

#include "vector/partition.h"
#include "vector/short_list.h"

namespace loci {
namespace {

// A mask that keeps less than this part of the rows is scanned row by row.
constexpr std::size_t kSelective = 16;
constexpr std::size_t kUsualResults = 10;  // what the short list was calibrated for
constexpr std::size_t kAhead = 8;          // slots whose memory is on its way while one is measured

Error damaged() { return {ErrorKind::corruption, "a block of the segment is damaged"}; }

// Keeps what may be among the `size` nearest: whose least distance is not above the size-th of the greatest ones.
class BoundedCandidates {
 public:
  struct Item {
    float distance;
    float error;
    std::uint32_t slot;
  };
  explicit BoundedCandidates(std::size_t size) : size_(size) {}

  void offer(float distance, float error, std::uint32_t slot) {
    if (!(distance - error <= limit_)) return;  // also what is not a number
    items_.push_back({distance, error, slot});
    nearest_ = std::min(nearest_, distance);
    greatest_.push(distance + error);
    if (greatest_.size() > size_) greatest_.pop();
    if (greatest_.size() == size_) limit_ = greatest_.top();
    if (items_.size() >= room_) cut();
  }
  // What is farther is not among the nearest.
  float limit() const { return limit_; }
  float nearest() const { return nearest_; }

  std::vector<Item> take() && {
    cut();
    return std::move(items_);
  }

 private:
  void cut() {
    std::erase_if(items_, [&](const Item& item) { return item.distance - item.error > limit_; });
    room_ = std::max(room_, 2 * items_.size());
  }

  std::size_t size_;
  std::size_t room_ = 1024;
  float limit_ = std::numeric_limits<float>::infinity();
  float nearest_ = std::numeric_limits<float>::infinity();
  std::priority_queue<float> greatest_;
  std::vector<Item> items_;
};

using Blocks = std::vector<std::pair<std::size_t, std::size_t>>;  // ranges of blocks, ascending, apart

class Search {
 public:
  Search(const Segment& segment, const SegmentRequest& request, const DistanceByCode& query)
      : segment_(segment), request_(request), query_(query), best_(request.results) {}

  Result<std::vector<SegmentCandidate>> run() {
    if (request_.only != nullptr) {
      scan_gathered(*request_.only);
      return candidates();
    }
    const std::size_t rows = segment_.size();
    const std::size_t wanted = request_.mask != nullptr ? request_.mask->count() : rows;
    if (wanted == 0) return candidates();  // none, if the segment is sound
    const std::size_t short_list = short_list_size();
    const bool scans_bytes = rows <= request_.scan_bytes_up_to ||
                             (request_.is_filtered && is_selective(wanted, rows)) || short_list >= wanted ||
                             short_list * 8 >= rows;
    TRY(scans_bytes ? scan_bytes() : scan_bits(short_list));
    return candidates();
  }

 private:
  std::uint64_t word(std::size_t block) const {
    const std::uint64_t all = request_.mask != nullptr ? request_.mask->word(block) : ~std::uint64_t{0};
    const std::size_t rows = segment_.size() - block * kBlockRows;
    return rows >= kBlockRows ? all : all & ((std::uint64_t{1} << rows) - 1);
  }
  std::size_t blocks() const { return (segment_.size() + kBlockRows - 1) / kBlockRows; }

  // Longer for those who want more, and never so short that rows without a code fill it.
  std::size_t short_list_size() const {
    const double factor = std::max(1.0, static_cast<double>(request_.results) / kUsualResults);
    const double size = factor * segment_.header().calibration.short_list + segment_.header().uncoded;
    return static_cast<std::size_t>(std::min(size, static_cast<double>(segment_.size())));
  }

  Status measure(std::uint32_t slot) {
    const std::int8_t* const codes = segment_.codes(slot);
    const std::optional<RowFactors> factors = segment_.factors(slot);
    if (codes == nullptr || !factors) return damaged();
    std::int32_t dot = 0;
    dots_of_codes(codes, 1, segment_.header().dimension, query_.values().data(), &dot);
    best_.offer(query_.distance(*factors, dot), query_.error(*factors, dot), slot);
    return {};
  }

  // Slots that lie apart: waiting for memory would take longer than measuring.
  Status measure_all(std::span<const std::uint32_t> slots) {
    for (std::size_t i = 0; i < std::min(kAhead, slots.size()); ++i) segment_.prefetch(slots[i]);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i + kAhead < slots.size()) segment_.prefetch(slots[i + kAhead]);
      TRY(measure(slots[i]));
    }
    return {};
  }

  void scan_gathered(const GatheredRows& rows) {
    const std::size_t dimension = segment_.header().dimension;
    std::array<std::int32_t, kBlockRows> dots;
    for (std::size_t first = 0; first < rows.slots.size(); first += kBlockRows) {
      const std::size_t count = std::min(kBlockRows, rows.slots.size() - first);
      dots_of_codes(rows.codes.data() + first * dimension, count, dimension, query_.values().data(), dots.data());
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t slot = rows.slots[first + i];
        if (request_.mask != nullptr && !request_.mask->has(slot)) continue;
        const RowFactors& factors = rows.factors[first + i];
        best_.offer(query_.distance(factors, dots[i]), query_.error(factors, dots[i]), slot);
      }
    }
  }

  Status scan_bytes() {
    std::array<std::int32_t, kBlockRows> dots;
    std::vector<std::uint32_t> apart;
    for (std::size_t number = 0; number < blocks(); ++number) {
      std::uint64_t wanted = word(number);
      const auto first = static_cast<std::uint32_t>(number * kBlockRows);
      if (static_cast<std::size_t>(std::popcount(wanted)) * 4 < kBlockRows) {
        for (; wanted != 0; wanted &= wanted - 1)
          apart.push_back(first + static_cast<std::uint32_t>(std::countr_zero(wanted)));
        continue;
      }
      const std::size_t rows = std::min(kBlockRows, segment_.size() - first);
      const std::int8_t* const codes = segment_.codes(first, rows);
      const float* const scales = segment_.scales(first, rows);
      const std::optional<BitBlock> block = segment_.block(number);
      if (codes == nullptr || scales == nullptr || !block) return damaged();
      dots_of_codes(codes, rows, segment_.header().dimension, query_.values().data(), dots.data());
      for (; wanted != 0; wanted &= wanted - 1) {
        const auto row = static_cast<std::size_t>(std::countr_zero(wanted));
        const RowFactors factors{block->offsets[row], block->slopes[row], scales[row]};
        best_.offer(query_.distance(factors, dots[row]), query_.error(factors, dots[row]),
                    first + static_cast<std::uint32_t>(row));
      }
    }
    return measure_all(apart);
  }

  // Of a query that lies apart from the rows nothing is known of which lists matter, so that all are read.
  Status scan_bits(std::size_t short_list) {
    const Blocks all = {{0, blocks()}};
    const Blocks near = TRY(blocks_to_scan());
    TRY(scan_bits_of(near, short_list));
    if (near == all || !query_.is_beyond(segment_.header().calibration.nearest, best_.nearest())) return {};
    best_ = BoundedCandidates(request_.results);
    return scan_bits_of(all, short_list);
  }

  // The short list is as long as queries like the rows need it. For one that is not, the distances found say up to
  // which estimate nearer rows may stand, and those are measured, too.
  Status scan_bits_of(const Blocks& ranges, std::size_t short_list) {
    ShortList nearest(short_list);
    TRY(estimate(ranges, nearest.threshold(), [&](float value, std::uint32_t slot) {
      nearest.offer(value, slot);
      return nearest.threshold();
    }));
    std::vector<std::uint32_t> slots;
    float last = std::numeric_limits<float>::lowest();
    for (const ShortList::Item& item : std::move(nearest).take()) {
      slots.push_back(item.slot);
      last = std::max(last, item.value);
    }
    TRY(measure_all(slots));
    const float limit = query_.estimate_limit(average_slope(slots), best_.limit());
    if (slots.size() < short_list || !(last < limit)) return {};
    slots.clear();
    TRY(estimate(ranges, limit, [&](float value, std::uint32_t slot) {
      if (value > last) slots.push_back(slot);
      return limit;
    }));
    return measure_all(slots);
  }

  // Offers the rows whose estimate is at most a threshold, and each offer says the next one.
  template <typename Offer>
  Status estimate(const Blocks& ranges, float threshold, const Offer& offer) {
    std::array<float, kBlockRows> estimates;
    for (const auto& [begin, end] : ranges) {
      for (std::size_t number = begin; number < end; ++number) {
        const std::uint64_t wanted = word(number);
        if (wanted == 0) continue;
        const std::optional<BitBlock> block = segment_.block(number);
        if (!block) return damaged();
        std::uint64_t near = wanted & estimate_block(*block, query_.tables(), threshold, estimates.data());
        for (; near != 0; near &= near - 1) {
          const auto row = static_cast<std::size_t>(std::countr_zero(near));
          threshold = offer(estimates[row], static_cast<std::uint32_t>(number * kBlockRows + row));
        }
      }
    }
    return {};
  }

  float average_slope(std::span<const std::uint32_t> slots) const {
    float sum = 0;
    for (const std::uint32_t slot : slots) {
      const std::optional<RowFactors> factors = segment_.factors(slot);
      if (factors) sum += std::fabs(factors->slope);
    }
    return slots.empty() ? 0 : sum / static_cast<float>(slots.size());
  }

  // All of them, or those of the lists that are near enough.
  Result<Blocks> blocks_to_scan() const {
    const SegmentHeader& header = segment_.header();
    if (header.lists == 0 || request_.is_filtered || header.calibration.probe_ratio <= 0) return Blocks{{0, blocks()}};
    const float* const centroids = segment_.centroids();
    const std::span<const std::uint32_t> ends = segment_.list_ends();
    if (centroids == nullptr || ends.empty()) return damaged();
    const std::vector<float> distances =
        centroid_distances(centroids, header.lists, {query_.rotated().begin(), query_.rotated().end()});
    const float limit = probe_limit(distances, header.calibration.probe_ratio);
    Blocks ranges;
    for (std::size_t list = 0; list < ends.size(); ++list) {
      const std::size_t begin = list == 0 ? 0 : ends[list - 1];
      const std::size_t end = ends[list];
      if (begin > end || end > segment_.size()) return damaged();
      if (begin == end || !(distances[list] <= limit)) continue;
      const std::size_t first = begin / kBlockRows;
      const std::size_t last = (end + kBlockRows - 1) / kBlockRows;
      if (!ranges.empty() && ranges.back().second >= first) {
        ranges.back().second = std::max(ranges.back().second, last);
      } else {
        ranges.emplace_back(first, last);
      }
    }
    return ranges;
  }

  Result<std::vector<SegmentCandidate>> candidates() {
    std::vector<SegmentCandidate> found;
    for (const BoundedCandidates::Item& item : std::move(best_).take()) {
      const std::optional<std::int64_t> row = segment_.row_at(item.slot);
      if (!row) return damaged();
      found.push_back({*row, item.distance, item.error});
    }
    if (!segment_.is_intact()) return Error{ErrorKind::corruption, "the segment was cut off while it was read"};
    return found;
  }

  const Segment& segment_;
  const SegmentRequest& request_;
  const DistanceByCode& query_;
  BoundedCandidates best_;
};

}  // namespace

SlotMask::SlotMask(std::size_t slots, Start start)
    : words_((slots + kBlockRows - 1) / kBlockRows, start == Start::all ? ~std::uint64_t{0} : 0),
      count_(start == Start::all ? slots : 0) {
  if (start == Start::all && slots % kBlockRows != 0) words_.back() = (std::uint64_t{1} << slots % kBlockRows) - 1;
}

void SlotMask::include(std::uint32_t slot) {
  if (has(slot)) return;
  words_[slot / kBlockRows] |= std::uint64_t{1} << slot % kBlockRows;
  ++count_;
}

void SlotMask::exclude(std::uint32_t slot) {
  if (!has(slot)) return;
  words_[slot / kBlockRows] &= ~(std::uint64_t{1} << slot % kBlockRows);
  --count_;
}

void SlotMask::keep_only(const SlotMask& other) {
  count_ = 0;
  for (std::size_t block = 0; block < words_.size(); ++block) {
    words_[block] &= block < other.words_.size() ? other.words_[block] : 0;
    count_ += static_cast<std::size_t>(std::popcount(words_[block]));
  }
}

bool is_selective(std::size_t wanted, std::size_t rows) { return wanted * kSelective <= rows; }

Result<GatheredRows> gather_rows(const Segment& segment, const SlotMask& mask) {
  GatheredRows gathered;
  for (std::size_t block = 0; block < mask.blocks(); ++block) {
    for (std::uint64_t word = mask.word(block); word != 0; word &= word - 1)
      gathered.slots.push_back(static_cast<std::uint32_t>(block * kBlockRows) +
                               static_cast<std::uint32_t>(std::countr_zero(word)));
  }
  const std::size_t dimension = segment.header().dimension;
  gathered.factors.reserve(gathered.slots.size());
  gathered.codes.reserve(gathered.slots.size() * dimension);
  for (const std::uint32_t slot : gathered.slots) {
    const std::int8_t* const codes = segment.codes(slot);
    const std::optional<RowFactors> factors = segment.factors(slot);
    if (codes == nullptr || !factors) return damaged();
    gathered.factors.push_back(*factors);
    gathered.codes.insert(gathered.codes.end(), codes, codes + dimension);
  }
  if (!segment.is_intact()) return damaged();
  return gathered;
}

Result<std::vector<SegmentCandidate>> nearest_candidates(const Segment& segment, const SegmentRequest& request) {
  const std::optional<DistanceByCode> query = DistanceByCode::to(segment.encoder(), request.query);
  if (!query) return Error{ErrorKind::unsupported, "the values of the query are too large for the index"};
  return Search(segment, request, *query).run();
}

}  // namespace loci
