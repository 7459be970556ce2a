#include "store/chroma/segment_folder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sys/stat.h>

#include "base/file.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kLargestPickle = std::size_t{1} << 30;

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// A file of holes may claim terabytes; what was never written to the disk holds no vectors. Compressing file systems
// need less than the length, so some is allowed for.
std::uint64_t believable_bytes(const std::filesystem::path& file) {
  constexpr std::uint64_t kCompression = 16;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return 0;
  const std::uint64_t on_disk = static_cast<std::uint64_t>(status.st_blocks) * 512;
  return std::min(static_cast<std::uint64_t>(status.st_size), kCompression * on_disk + (std::uint64_t{1} << 20));
}

}  // namespace

Result<std::shared_ptr<const SegmentFolder>> SegmentFolder::open(const std::filesystem::path& folder,
                                                                 const ExpectedIndex& expected) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::shared_ptr<const SegmentFolder>();
  std::shared_ptr<SegmentFolder> segment(new SegmentFolder(folder, expected.metric));
  segment->read_pickle();
  segment->read_header(expected);
  segment->read_slots();
  segment->check_links();
  return std::shared_ptr<const SegmentFolder>(std::move(segment));
}

void SegmentFolder::read_pickle() {
  const Result<std::string> bytes = read_file(path_ / "index_metadata.pickle", kLargestPickle);
  if (!bytes.ok()) {
    labels_.problem = bytes.error().message;
    pickle_ = bytes.error().kind == ErrorKind::not_found ? PickleState::missing : PickleState::cut;
    return;
  }
  labels_ = parse_index_metadata(as_bytes(*bytes));
  pickle_ = labels_.problem.empty() ? PickleState::whole : PickleState::cut;
}

void SegmentFolder::read_header(const ExpectedIndex& expected) {
  const Result<std::string> bytes = read_file(path_ / "header.bin");
  if (!bytes.ok()) {
    header_problem_ = bytes.error().message;
  } else if (Result<HnswHeader> header = parse_hnsw_header(as_bytes(*bytes)); !header.ok()) {
    header_problem_ = header.error().message;
  } else if (expected.dimension && header->geometry.dimension != *expected.dimension) {
    header_problem_ = "header.bin: has " + std::to_string(header->geometry.dimension) +
                      " dimensions; the collection has " + std::to_string(*expected.dimension);
  } else {
    header_ = *header;
    geometry_ = header->geometry;
  }
  if (!geometry_ && expected.dimension && *expected.dimension <= kLargestDimension &&
      expected.neighbours <= kLargestNeighbours) {
    geometry_ = HnswGeometry{.neighbours = expected.neighbours, .dimension = *expected.dimension};
  }
  if (geometry_) dimension_ = geometry_->dimension;
}

void SegmentFolder::read_slots() {
  if (!geometry_) return;
  const std::filesystem::path file = path_ / "data_level0.bin";
  Result<std::unique_ptr<GuardedFile>> data = GuardedFile::open(file);
  if (!data.ok()) return;
  data_ = std::move(*data);
  slots_.emplace(data_->bytes(), *geometry_);
  slot_count_ = std::min<std::size_t>(slots_->size(), believable_bytes(file) / geometry_->slot_bytes());
  if (header_) slot_count_ = static_cast<std::size_t>(std::min<std::uint64_t>(slot_count_, header_->count));
  // What lies behind the last label is whatever the writer's memory held.
  if (pickle_ == PickleState::whole)
    slot_count_ = static_cast<std::size_t>(std::min<std::uint64_t>(slot_count_, labels_.total_elements_added));
  if (metric_ != DistanceMetric::cosine) return;
  if (Result<std::unique_ptr<GuardedFile>> lengths = GuardedFile::open(path_ / "length.bin"); lengths.ok())
    lengths_ = std::move(*lengths);
}

void SegmentFolder::check_links() {
  if (!header_ || header_->count == 0) return;
  const std::filesystem::path file = path_ / "link_lists.bin";
  // A healthy one is a small part of the data; one torn size makes it grow to terabytes of holes.
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed) {
    links_problem_ = "is missing";
  } else if (data_ && size / 2 > data_->bytes().size()) {
    links_problem_ = "is larger than the vectors that it links";
  } else if (const Result<std::unique_ptr<GuardedFile>> links = GuardedFile::open(file); links.ok()) {
    links_problem_ = check_link_lists((*links)->bytes(), header_->count, header_->geometry);
  } else {
    links_problem_ = "is empty";
  }
}

std::optional<Embedding> SegmentFolder::vector(std::size_t slot) const {
  const std::span<const float> stored = slots_->vector(slot);
  float length = 1;
  if (metric_ == DistanceMetric::cosine) {
    // Without its length a vector of a cosine collection still says the same.
    length = (lengths_ ? vector_length(lengths_->bytes(), slot) : std::nullopt).value_or(1.0F);
  }
  Embedding vector(stored.begin(), stored.end());
  bool has_value = false;
  for (float& value : vector) {
    if (metric_ == DistanceMetric::cosine) value *= length;
    if (!std::isfinite(value)) return {};
    has_value = has_value || value != 0;
  }
  if (!has_value) return {};
  return vector;
}

}  // namespace loci::chroma
