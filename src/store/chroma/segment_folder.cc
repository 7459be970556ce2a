#include "store/chroma/segment_folder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <sys/stat.h>

#include "base/file.h"

namespace loci::chroma {
namespace {

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
  // Mapped, since the length of a file of holes is no reason to ask for memory.
  const std::filesystem::path file = path_ / "index_metadata.pickle";
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(file, failed);
  if (!std::filesystem::exists(status)) {
    labels_.problem = "is missing";
    return;
  }
  pickle_ = PickleState::cut;
  labels_.problem = "is empty";
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(file, failed) == 0) return;
  const Result<std::unique_ptr<GuardedFile>> bytes = GuardedFile::open(file);
  if (!bytes.ok()) {
    labels_.problem = "cannot be read: " + bytes.error().message;
    return;
  }
  const std::span<const std::uint8_t> all = (*bytes)->bytes();
  labels_ = parse_index_metadata(all.first(std::min<std::size_t>(all.size(), believable_bytes(file))));
  if (!(*bytes)->is_whole()) labels_.problem = "was cut off while it was read";
  if (labels_.problem.empty()) pickle_ = PickleState::whole;
}

void SegmentFolder::read_header(const ExpectedIndex& expected) {
  const Result<std::string> bytes = read_file(path_ / "header.bin");
  if (!bytes.ok()) {
    header_problem_ = bytes.error().message;
  } else if (Result<HnswHeader> header = parse_hnsw_header(as_bytes(*bytes)); !header.ok()) {
    header_problem_ = header.error().message;
  } else {  // all of its numbers say the same, which is more than the database says
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
  slot_count_ = used_slots(file);
  if (!header_ && !has_labels_in_place()) {
    slot_count_ = 0;
    header_problem_ += "; and the slots are not those of " + std::to_string(geometry_->dimension) + " dimensions";
  }
  if (Result<std::unique_ptr<GuardedFile>> lengths = GuardedFile::open(path_ / "length.bin"); lengths.ok())
    lengths_ = std::move(*lengths);
}

// What lies behind the last label is whatever the writer's memory held.
std::size_t SegmentFolder::used_slots(const std::filesystem::path& file) const {
  const std::uint64_t there = std::min<std::uint64_t>(slots_->size(), believable_bytes(file) / geometry_->slot_bytes());
  // A whole pickle was written behind the slots that it counts; a header says so before.
  if (pickle_ == PickleState::whole) return std::min(there, labels_.total_elements_added);
  return header_ ? std::min(there, header_->count) : there;
}

// With a geometry that is only guessed, most of the labels must be where they are expected.
bool SegmentFolder::has_labels_in_place() const {
  std::size_t found = 0;
  visit_labelled([&](const std::string&, std::size_t) { ++found; });
  return found >= std::min(labels_.labels.size(), slot_count_) / 2;
}

void SegmentFolder::check_links() {
  if (!header_ || header_->count == 0) return;
  const std::filesystem::path file = path_ / "link_lists.bin";
  // A healthy one is a small part of the data; one torn size makes it grow to terabytes of holes.
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  const std::uint64_t data_size = believable_bytes(path_ / "data_level0.bin");
  if (failed) {
    links_problem_ = "is missing";
  } else if (size > believable_bytes(file)) {
    links_problem_ = "is " + std::to_string(size) + " bytes of holes";
  } else if (data_ && size / 2 > data_size) {
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
    length = this->length(slot).value_or(1.0F);
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

bool SegmentFolder::holds(std::size_t slot, const Embedding& vector) const {
  const std::optional<Embedding> held = this->vector(slot);
  if (!held || held->size() != vector.size()) return false;
  if (metric_ != DistanceMetric::cosine) return *held == vector;
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (std::abs((*held)[i] - vector[i]) > 1e-5F * std::max(1.0F, largest)) return false;
  }
  return true;
}

void SegmentFolder::visit_slots(FunctionRef<void(std::size_t)> visit) const {
  for (std::size_t slot = 0; slot < slot_count_; ++slot) {
    if (slot % kLetGoSlots == 0) let_go();
    visit(slot);
  }
  let_go();
}

void SegmentFolder::visit_labelled(const std::function<void(const std::string&, std::size_t)>& visit) const {
  std::unordered_map<std::uint64_t, const std::string*> ids;
  ids.reserve(labels_.labels.size());
  for (const auto& [id, label] : labels_.labels) ids.emplace(label, &id);
  for (std::size_t slot = 0; slot < slot_count_ && !ids.empty(); ++slot) {
    if (slot % kLetGoSlots == 0) let_go();
    const auto id = ids.find(label(slot));
    if (id == ids.end()) continue;
    visit(*id->second, slot);
    ids.erase(id);
  }
  let_go();
}

}  // namespace loci::chroma
