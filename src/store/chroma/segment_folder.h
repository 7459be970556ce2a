// The folder of one vector segment: Chroma's index as far as it can be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/guarded_file.h"
#include "loci/collection.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/hnsw_files.h"
#include "store/chroma/index_metadata.h"

namespace loci::chroma {

// What the database knows about an index; for a folder whose header is gone.
struct ExpectedIndex {
  DistanceMetric metric = DistanceMetric::l2;
  std::optional<std::size_t> dimension = {};
  std::size_t neighbours = 16;
};

enum class PickleState { whole, cut, missing };

// Constant after open(); many threads may read it. The files may be changed or cut by others meanwhile: is_whole().
class SegmentFolder {
 public:
  // Nothing when there is no such folder. Everything that is wrong with the files is a problem and no error.
  static Result<std::shared_ptr<const SegmentFolder>> open(const std::filesystem::path& folder,
                                                           const ExpectedIndex& expected);

  const std::filesystem::path& path() const { return path_; }
  // The first use of an index makes its files; only a persist fills them.
  bool is_fresh() const { return header_ && header_->count == 0 && pickle_ == PickleState::missing; }
  PickleState pickle() const { return pickle_; }
  const IndexMetadata& labels() const { return labels_; }
  const std::optional<HnswHeader>& header() const { return header_; }
  std::string header_problem() const { return header_problem_; }
  std::string links_problem() const { return links_problem_; }
  // Slots that are in the file, and in use as far as can be told.
  std::size_t slots() const { return slot_count_; }
  std::uint64_t label(std::size_t slot) const { return slots_->label(slot); }
  bool is_deleted(std::size_t slot) const { return slots_->is_deleted(slot); }
  std::size_t dimension() const { return dimension_; }

  // The vector as it was given to Chroma, up to the last bit for cosine; where its length is lost, of length 1. Nothing
  // when it is not finite, or nothing but zeros.
  std::optional<Embedding> vector(std::size_t slot) const;
  // Is it this vector, up to the rounding that a cosine collection does?
  bool holds(std::size_t slot, const Embedding& vector) const;
  // All slots in their order, without holding the memory of those that were visited.
  void visit_slots(FunctionRef<void(std::size_t slot)> visit) const;
  // The slots that carry the labels of records, in their order; each id once.
  void visit_labelled(const std::function<void(const std::string& id, std::size_t slot)>& visit) const;
  // The vector as it lies in the file: for cosine of length 1.
  std::span<const float> stored_vector(std::size_t slot) const { return slots_->vector(slot); }
  // The original length of a vector, from length.bin. Only cosine fills that file; elsewhere it holds anything.
  std::optional<float> length(std::size_t slot) const {
    return lengths_ ? vector_length(lengths_->bytes(), slot) : std::nullopt;
  }

  // Who reads slots by other ways than visiting them lets go after so many, which keeps the memory in bounds.
  static constexpr std::size_t kLetGoSlots = 4096;
  void let_go() const {
    if (data_) data_->let_go();
  }

  // Was everything that was read until now really in the files?
  bool is_whole() const { return (!data_ || data_->is_whole()) && (!lengths_ || lengths_->is_whole()); }

 private:
  explicit SegmentFolder(std::filesystem::path path, DistanceMetric metric) : path_(std::move(path)), metric_(metric) {}
  void read_pickle();
  void read_header(const ExpectedIndex& expected);
  void read_slots();
  std::size_t used_slots(const std::filesystem::path& file) const;
  bool has_labels_in_place() const;
  void check_links();

  const std::filesystem::path path_;
  const DistanceMetric metric_;
  PickleState pickle_ = PickleState::missing;
  IndexMetadata labels_;
  std::optional<HnswHeader> header_;
  std::optional<HnswGeometry> geometry_;
  std::string header_problem_;
  std::string links_problem_;
  std::unique_ptr<GuardedFile> data_;
  std::unique_ptr<GuardedFile> lengths_;
  std::optional<HnswSlots> slots_;
  std::size_t slot_count_ = 0;
  std::size_t dimension_ = 0;
};

}  // namespace loci::chroma
