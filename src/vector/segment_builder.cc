#include "vector/segment_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "vector/calibration.h"
#include "vector/random_numbers.h"
#include "vector/segment_blocks.h"

namespace loci {
namespace {

// Lists that make a query read more than this part of the rows are not worth their while.
constexpr double kMostProbed = 0.3;
constexpr std::size_t kProbeSamples = 32;
constexpr std::size_t kWriteBytes = std::size_t{4} << 20;

template <typename Value>
std::span<const std::uint8_t> bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(Value)};
}

// Writes a file from front to back and takes the checksums on the way.
class SummedWriter {
 public:
  explicit SummedWriter(NewFile& file) : file_(file) {}

  // Fills up with zeros to `offset`, then adds the bytes.
  Status add_at(std::size_t offset, std::span<const std::uint8_t> bytes) {
    assert(offset >= written_ + pending_.size());
    pending_.resize(offset - written_);
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    return pending_.size() >= kWriteBytes ? flush(pending_.size() / kChecksumBlockBytes * kChecksumBlockBytes)
                                          : Status();
  }
  Status finish(std::size_t end) {
    pending_.resize(end - written_);
    return flush(pending_.size());
  }
  const std::vector<std::uint64_t>& checksums() const { return checksums_; }

 private:
  Status flush(std::size_t size) {
    const std::span<const std::uint8_t> bytes = std::span(pending_).first(size);
    for (std::size_t at = 0; at < size; at += kChecksumBlockBytes)
      checksums_.push_back(segment_checksum(bytes.subspan(at, std::min(kChecksumBlockBytes, size - at))));
    TRY(file_.write_at(written_, bytes));
    written_ += size;
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(size));
    return {};
  }

  NewFile& file_;
  std::size_t written_ = kSegmentHeaderBytes;
  std::vector<std::uint8_t> pending_;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace

SegmentBuilder::SegmentBuilder(SegmentHeader identity, std::span<const float> center, std::uint64_t seed)
    : header_(std::move(identity)), encoder_(header_.metric, center, seed) {
  assert(center.size() == header_.dimension);
  header_.seed = seed;
  table_.dimension = header_.dimension;
}

void SegmentBuilder::reserve(std::size_t rows) {
  table_.row_numbers.reserve(rows);
  table_.factors.reserve(rows);
  table_.codes.reserve(rows * table_.dimension);
}

void SegmentBuilder::add(std::int64_t row, std::span<const float> vector) {
  assert(table_.row_numbers.empty() || table_.row_numbers.back() < row);
  table_.row_numbers.push_back(row);
  table_.codes.resize(table_.codes.size() + table_.dimension);
  const bool is_coded = encoder_.encode(vector, table_.codes.data() + table_.codes.size() - table_.dimension,
                                        table_.factors.emplace_back());
  if (!is_coded) ++header_.uncoded;
}

Result<SegmentBuilder> SegmentBuilder::again(const Segment& segment) {
  const Error damaged{ErrorKind::corruption, "the segment is damaged"};
  SegmentBuilder builder(segment.header(), segment.encoder().center(), segment.header().seed);
  CodeTable& table = builder.table_;
  table.row_numbers.reserve(segment.size());
  table.factors.reserve(segment.size());
  for (std::uint32_t slot = 0; slot < segment.size(); ++slot) {
    const std::optional<std::int64_t> row = segment.row_at(slot);
    const std::optional<RowFactors> factors = segment.factors(slot);
    if (!row || !factors) return damaged;
    table.row_numbers.push_back(*row);
    table.factors.push_back(*factors);
  }
  table.lent_codes = segment.codes(0, segment.size());
  if (table.lent_codes == nullptr) return damaged;
  builder.is_calibrated_ = true;
  return builder;
}

const std::int8_t* SegmentBuilder::codes_in_order(std::size_t first, std::size_t rows,
                                                  std::vector<std::int8_t>& room) const {
  if (sorted_from_.empty()) return table_.codes_of(first);
  room.resize(rows * table_.dimension);
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(room.data() + i * table_.dimension, table_.codes_of(sorted_from_[first + i]), table_.dimension);
  return room.data();
}

std::vector<std::uint8_t> SegmentBuilder::make_blocks() const {
  const std::size_t blocks = (table_.size() + kBlockRows - 1) / kBlockRows;
  std::vector<std::uint8_t> bytes(blocks * block_bytes(table_.dimension));
  std::vector<std::int8_t> room;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kBlockRows;
    const std::size_t rows = std::min(kBlockRows, table_.size() - first);
    make_block(codes_in_order(first, rows, room), std::span(table_.factors).subspan(first, rows), table_.dimension,
               bytes.data() + block * block_bytes(table_.dimension));
  }
  return bytes;
}

void SegmentBuilder::calibrate_with(const Partition* partition) {
  header_.calibration = calibrate(table_, make_blocks(), partition, header_.seed);
  is_calibrated_ = true;
}

void SegmentBuilder::partition(std::size_t lists) {
  if (can_have_lists(header_) && lists >= 2 && lists <= table_.size()) {
    const Partition partition = make_partition(table_, lists, header_.seed);
    const Calibration without_lists = header_.calibration;
    const bool was_calibrated = is_calibrated_;
    calibrate_with(&partition);
    if (spares_work(partition)) return sort_into(partition);
    header_.calibration = without_lists;
    is_calibrated_ = was_calibrated;
  }
  if (!is_calibrated_) calibrate_with(nullptr);
  header_.calibration.probe_ratio = kListsSpareNothing;
}

bool SegmentBuilder::spares_work(const Partition& partition) const {
  std::vector<std::size_t> sizes(partition.lists);
  for (const std::uint32_t list : partition.list_of) ++sizes[list];
  RandomNumbers random(header_.seed);
  std::size_t probed = 0;
  for (std::size_t i = 0; i < kProbeSamples; ++i) {
    const std::vector<float> query = table_.decoded(random.below(table_.size()));
    const std::vector<float> distances = centroid_distances(partition.centroids.data(), partition.lists, query);
    const float limit = probe_limit(distances, header_.calibration.probe_ratio);
    for (std::size_t list = 0; list < partition.lists; ++list) probed += distances[list] <= limit ? sizes[list] : 0;
  }
  return static_cast<double>(probed) <= kMostProbed * static_cast<double>(table_.size() * kProbeSamples);
}

void SegmentBuilder::sort_into(const Partition& partition) {
  sorted_from_.resize(table_.size());
  std::iota(sorted_from_.begin(), sorted_from_.end(), 0U);
  std::stable_sort(sorted_from_.begin(), sorted_from_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return partition.list_of[a] < partition.list_of[b]; });
  std::vector<std::int64_t> row_numbers;
  std::vector<RowFactors> factors;
  list_ends_.assign(partition.lists, 0);
  for (const std::uint32_t from : sorted_from_) {
    row_numbers.push_back(table_.row_numbers[from]);
    factors.push_back(table_.factors[from]);
    ++list_ends_[partition.list_of[from]];
  }
  std::partial_sum(list_ends_.begin(), list_ends_.end(), list_ends_.begin());
  table_.row_numbers = std::move(row_numbers);
  table_.factors = std::move(factors);
  centroids_ = partition.centroids;
  header_.lists = static_cast<std::uint32_t>(partition.lists);
}

Status SegmentBuilder::write_to(NewFile& file) {
  if (!is_calibrated_) calibrate_with(nullptr);
  header_.rows = table_.size();
  const auto [least, largest] = std::minmax_element(table_.row_numbers.begin(), table_.row_numbers.end());
  header_.first_row = *least;
  header_.last_row = *largest;
  const std::optional<SegmentLayout> layout = layout_of(header_.rows, header_.dimension, header_.lists);
  if (!layout) return Error{ErrorKind::internal, "a segment cannot have " + std::to_string(header_.rows) + " rows"};

  std::vector<std::uint32_t> order;
  if (header_.lists > 0) {
    order.resize(table_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return table_.row_numbers[a] < table_.row_numbers[b]; });
  }
  std::vector<float> scales;
  for (const RowFactors& factors : table_.factors) scales.push_back(factors.scale);
  const std::vector<float> center(encoder_.center().begin(), encoder_.center().end());

  SummedWriter writer(file);
  TRY(writer.add_at(layout->center, bytes_of(center)));
  TRY(writer.add_at(layout->centroids, bytes_of(centroids_)));
  TRY(writer.add_at(layout->list_ends, bytes_of(list_ends_)));
  TRY(writer.add_at(layout->row_numbers, bytes_of(table_.row_numbers)));
  TRY(writer.add_at(layout->order, bytes_of(order)));
  TRY(writer.add_at(layout->blocks, make_blocks()));
  TRY(writer.add_at(layout->scales, bytes_of(scales)));
  const std::size_t dimension = table_.dimension;
  const std::size_t rows_at_once = std::max<std::size_t>(1, kWriteBytes / dimension);
  std::vector<std::int8_t> room;
  for (std::size_t first = 0; first < table_.size(); first += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, table_.size() - first);
    const auto* const codes = reinterpret_cast<const std::uint8_t*>(codes_in_order(first, rows, room));
    TRY(writer.add_at(layout->codes + first * dimension, {codes, rows * dimension}));
  }
  TRY(writer.finish(layout->checksums));
  header_.checksum_of_checksums = segment_checksum(bytes_of(writer.checksums()));
  TRY(file.write_at(layout->checksums, bytes_of(writer.checksums())));
  return file.write_at(0, encode_header(header_));
}

}  // namespace loci
