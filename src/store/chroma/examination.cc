#include "store/chroma/examination.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/chroma/finding_text.h"
#include "store/chroma/queue.h"

namespace loci::chroma {
namespace {

// Vectors of a cosine collection are stored with length 1.
constexpr double kUnitTolerance = 1e-3;
constexpr double kExactUnitTolerance = 1e-5;
constexpr std::size_t kFewestForSpace = 10;  // vectors from which a space is guessed

// What the vectors themselves look like.
struct VectorShape {
  std::size_t seen = 0;            // in the index
  std::size_t broken = 0;          // not finite, or all zeros
  std::size_t unit = 0;            // of length 1
  std::size_t far_from_unit = 0;   // not even nearly
  std::size_t without_length = 0;  // whose original length is lost
  std::size_t plausible_lengths = 0;
};

class Examination {
 public:
  Examination(const FolderPalace& palace, Connection& connection, const SchemaVersions& versions,
              const CollectionRow& row, const Recovered& vectors)
      : connection_(connection), versions_(versions), row_(row), vectors_(vectors), remedies_(palace.folder()) {
    report_ = {.name = row.name,
               .space = std::string(to_string(row.space.metric)),
               .dimension = vectors.dimension,
               .rows = vectors.records.size(),
               .vectors = vectors.vectors,
               .missing = vectors.missing,
               .stale = vectors.stale,
               .ghosts = vectors.ghosts};
  }

  Result<Coverage> run(VerifyDepth depth) {
    look_at_index();
    look_at_vectors();
    if (depth == VerifyDepth::deep) TRY(look_at_queued_vectors());
    look_at_space();
    look_at_frontiers();
    look_at_copies();
    TRY(look_at_queue());
    look_at_dimension();
    sum_up();
    return std::move(report_);
  }

 private:
  void find(std::string check, std::string detail, std::string fix) {
    report_.findings.push_back({std::move(check), std::move(detail), std::move(fix)});
  }
  void note(std::string check, std::string detail, std::string fix = {}) {
    report_.findings.push_back({std::move(check), std::move(detail), std::move(fix), false});
  }
  void without_vector(std::size_t number) {
    report_.vectors -= number;
    report_.missing += number;
  }
  const SegmentFolder* index() const { return vectors_.has_index ? vectors_.segments[0].get() : nullptr; }

  void look_at_index();
  void look_at_missing_index();
  void look_at_labels(const SegmentFolder& index);
  void look_at_persist(const SegmentFolder& index);
  void look_at_vectors();
  Status look_at_queued_vectors();
  void look_at_space();
  void look_at_frontiers();
  Status look_at_queue();
  void look_at_copies();
  void look_at_dimension();
  void sum_up();

  Connection& connection_;
  const SchemaVersions& versions_;
  const CollectionRow& row_;
  const Recovered& vectors_;
  const Remedies remedies_;
  Coverage report_;
  VectorShape shape_;
};

void Examination::look_at_index() {
  const SegmentFolder* const there = index();
  if (there == nullptr) return look_at_missing_index();
  if (there->is_fresh()) return;  // the first use makes the files, and only a persist fills them
  if (!there->header_problem().empty())
    find("damaged header", there->header_problem() + "; Chroma does not open such an index", remedies_.copy());
  look_at_labels(*there);
  look_at_persist(*there);
  if (!there->links_problem().empty()) {
    find("damaged links",
         "link_lists.bin " + there->links_problem() + "; no vector is lost by it, but Chroma ends with a fault",
         remedies_.copy());
  }
}

void Examination::look_at_missing_index() {
  if (report_.rows == 0 || row_.vector_segment.empty()) return;
  const std::string what = "there is no index folder " + row_.vector_segment;
  const std::size_t lacking = vectors_.missing + vectors_.stale;
  if (lacking == 0 && !row_.vector_frontier) {
    note("missing index", what + "; the queue has every vector, and Chroma makes the index from it");
  } else {
    find("missing index",
         what + ", and the queue has the vectors of " + std::to_string(report_.vectors) + " of " +
             records_text(report_.rows),
         lacking > 0 ? remedies_.for_missing(vectors_.in_copies) : remedies_.migrate());
  }
}

void Examination::look_at_labels(const SegmentFolder& index) {
  if (index.pickle() == PickleState::whole) return;
  const bool is_cut = index.pickle() == PickleState::cut;
  std::string detail = is_cut ? "index_metadata.pickle " + index.labels().problem : "index_metadata.pickle is missing";
  if (vectors_.is_by_rank) {
    detail += "; every vector was given back to its record by the order of rows";
  } else if (vectors_.unassigned > 0) {
    detail += "; " + vectors_text(vectors_.unassigned) + " of the index cannot be given to a record with certainty";
  }
  detail += is_cut ? "; Chroma does not open such an index"
                   : "; do not open this folder with Chroma, which would write over the vectors";
  find(is_cut ? "cut pickle" : "missing pickle", std::move(detail), remedies_.copy());
}

// A persist writes header, slots and links, then the labels, then the frontier: what contradicts the labels came from
// one that was interrupted.
void Examination::look_at_persist(const SegmentFolder& index) {
  if (index.pickle() != PickleState::whole) return;
  const std::uint64_t total = index.labels().total_elements_added;
  if (index.slots() < total) {
    find("cut vectors",
         "data_level0.bin holds " + std::to_string(index.slots()) + " of " + std::to_string(total) + " slots",
         remedies_.copy());
  }
  // It is never behind: a persist begins with it.
  if (index.header() && index.header()->count < total) {
    find("damaged header",
         "header.bin counts " + std::to_string(index.header()->count) + " of the " + std::to_string(total) +
             " slots; no vector is lost by it, but Chroma ends with a fault",
         remedies_.copy());
  }
  std::unordered_set<std::uint64_t> labels;
  labels.reserve(index.labels().labels.size());
  for (const auto& [id, label] : index.labels().labels) labels.insert(label);
  std::size_t unknown = 0;
  std::size_t marked = 0;
  index.visit_slots([&](std::size_t slot) {
    const bool is_known = labels.contains(index.label(slot));
    unknown += !is_known && !index.is_deleted(slot) ? 1 : 0;
    marked += is_known && index.is_deleted(slot) ? 1 : 0;
  });
  const bool counts_differ = index.header() && index.header()->count > total;
  if (!counts_differ && unknown == 0 && marked == 0) return;
  std::string detail = "the index was being written when Chroma ended: ";
  if (counts_differ) {
    detail +=
        "header.bin counts " + std::to_string(index.header()->count) + " slots and the labels " + std::to_string(total);
  } else {
    detail += counted(unknown + marked, "slot contradicts", "slots contradict") + " the labels";
  }
  find("torn persist", detail + "; Chroma ends with a fault on it, or answers with wrong vectors", remedies_.copy());
}

void Examination::look_at_vectors() {
  const SegmentFolder* const there = index();
  if (there == nullptr) return;
  const bool is_cosine = row_.space.metric == DistanceMetric::cosine;
  for (const RecoveredRecord& record : vectors_.records) {
    if (record.place.kind != VectorPlace::Kind::slot || record.place.segment != 0) continue;
    const auto slot = static_cast<std::size_t>(record.place.at);
    double square = 0;
    if (shape_.seen % SegmentFolder::kLetGoSlots == 0) there->let_go();
    for (const float value : there->stored_vector(slot)) square += double{value} * double{value};
    ++shape_.seen;
    if (!std::isfinite(square) || square == 0) {
      ++shape_.broken;
      continue;
    }
    const double off = std::abs(std::sqrt(square) - 1);
    shape_.unit += off <= kExactUnitTolerance ? 1 : 0;
    shape_.far_from_unit += off > kUnitTolerance ? 1 : 0;
    const std::optional<float> length = there->length(slot);
    shape_.without_length += length ? 0 : 1;
    shape_.plausible_lengths += length && *length > 1e-3F && *length < 1e3F ? 1 : 0;
  }
  there->let_go();
  if (!there->is_whole()) {
    find("changing files", "the files of the index were cut off while they were read", "run verify again");
  }
  if (shape_.broken > 0) {
    without_vector(shape_.broken);
    find("unusable vectors", vectors_text(shape_.broken) + " of the index are not finite, or nothing but zeros",
         remedies_.embed());
  }
  if (is_cosine && shape_.without_length > 0) {
    find("lost lengths",
         "length.bin lacks the original length of " + vectors_text(shape_.without_length) +
             "; they come out with length 1, which changes no distance",
         remedies_.migrate());
  }
}

Status Examination::look_at_queued_vectors() {
  std::size_t broken = 0;
  for (const RecoveredRecord& record : vectors_.records) {
    if (record.place.kind != VectorPlace::Kind::queue) continue;
    const auto vector = TRY(queue_vector(connection_, record.place.at, vectors_.dimension));
    broken += vector ? 0 : 1;
  }
  if (broken == 0) return {};
  without_vector(broken);
  find("unusable vectors", vectors_text(broken) + " of the queue are not finite, or nothing but zeros",
       remedies_.embed());
  return {};
}

void Examination::look_at_space() {
  const std::string metric(to_string(row_.space.metric));
  if (row_.space.is_contradicted) {
    note("wrong space", "the configuration says l2 and the index measures by " + metric +
                            "; Chroma's releases 0.5.4 to 0.6.3 wrote that for every collection, and it is not used");
  }
  const std::size_t usable = shape_.seen - shape_.broken;
  if (usable < kFewestForSpace) return;
  if (row_.space.metric == DistanceMetric::cosine && shape_.far_from_unit > 0) {
    find("wrong space",
         "the database says cosine, but " + vectors_text(shape_.far_from_unit) + " of " + std::to_string(usable) +
             " in the index do not have length 1",
         remedies_.copy());
  }
  if (row_.space.metric != DistanceMetric::cosine && shape_.unit == usable && shape_.plausible_lengths == usable) {
    find("wrong space",
         "the database says " + metric +
             ", but every vector in the index has length 1 and another one beside it, as only cosine stores them",
         remedies_.migrate());
  }
}

void Examination::look_at_frontiers() {
  const auto look = [&](const std::optional<Frontier>& frontier, const std::string& of) {
    if (!frontier) return;
    if (frontier->is_poisoned) {
      find("poisoned frontier",
           "the frontier of the " + of + " was converted before Chroma's own migration did it" +
               (frontier->is_lost ? std::string(" and cannot be read back")
                                  : ", and was " + std::to_string(frontier->seq)) +
               "; Chroma takes no more writes, and purges its queue",
           remedies_.seq_ids());
    } else if (frontier->is_lost) {
      find("unreadable frontier", "the frontier of the " + of + " is no sequence number", remedies_.copy());
    } else if (frontier->is_blob && versions_.has_integer_frontiers()) {
      find("BLOB frontier",
           "the frontier of the " + of +
               " is a BLOB, as an older release of Chroma wrote it into this folder; newer "
               "ones fail on it with \"mismatched types\"",
           remedies_.seq_ids());
    } else if (!frontier->is_blob && !versions_.has_integer_frontiers()) {
      find("integer frontier",
           "the frontier of the " + of +
               " was converted to an integer; Chroma's own migration, which is still to "
               "come, would poison it",
           remedies_.seq_ids());
    }
  };
  look(row_.vector_frontier, "vector index");
  look(row_.metadata_frontier, "tables");
}

Status Examination::look_at_queue() {
  std::int64_t frontier = 0;
  for (const std::optional<Frontier>& each : {row_.vector_frontier, row_.metadata_frontier}) {
    if (each && !each->is_lost) frontier = std::max(frontier, each->seq);
  }
  if (const std::int64_t last = TRY(last_queue_seq(connection_)); last < frontier) {
    std::size_t ignored = 0;
    TRY(visit_queue(connection_, row_, 0, [&](const QueueRow&) -> Status {
      ++ignored;
      return {};
    }));
    std::string detail = "the queue was emptied by hand: new writes get numbers from " + std::to_string(last + 1) +
                         " on, and Chroma ignores those up to " + std::to_string(frontier);
    if (ignored > 0) detail += "; " + counted(ignored, "write is", "writes are") + " lost in this way already";
    find("emptied queue", std::move(detail), remedies_.seq_ids());
  }
  const std::size_t lacking = vectors_.missing + vectors_.stale;
  if (lacking > 0 && vectors_.is_queue_purged) {
    find("purged queue",
         "Chroma purged the queue up to what its index had, so that it cannot give back the vectors of " +
             records_text(lacking),
         remedies_.for_missing(vectors_.in_copies));
  }
  return {};
}

void Examination::look_at_copies() {
  for (const CopyContents& copy : vectors_.copies) {
    std::string what = copy.name + " holds " + vectors_text(copy.held) + ", " + std::to_string(copy.of_records) +
                       " of them of records that are still there";
    if (copy.doubtful > 0)
      what += "; those of " + records_text(copy.doubtful) + " may be of an older text, and are not used";
    if (copy.only_here > 0) {
      find("quarantined copy", what + "; " + counted(copy.only_here, "record has", "records have") + " no other vector",
           remedies_.migrate_with_copies());
    } else {
      note("quarantined copy", what + (copy.doubtful > 0 ? "" : "; no record needs it"));
    }
  }
}

void Examination::look_at_dimension() {
  if (!vectors_.dimension) return;
  if (!row_.dimension && report_.rows > 0) {
    find("no dimension", "the database does not say the dimension; Chroma finds nothing until the next write",
         remedies_.copy());
  }
  if (row_.dimension && row_.dimension != vectors_.dimension) {
    find("wrong dimension",
         "the database says " + std::to_string(*row_.dimension) + " dimensions, but the vectors have " +
             std::to_string(*vectors_.dimension) + "; Chroma ends with a fault, or answers with wrong vectors",
         remedies_.copy());
  }
  if (const SegmentFolder* there = index();
      there != nullptr && there->header() && !there->is_fresh() && there->dimension() != vectors_.dimension) {
    find("wrong dimension",
         "the index has " + std::to_string(there->dimension()) + " dimensions and the collection " +
             std::to_string(*vectors_.dimension) + "; no vector of it is used",
         remedies_.embed());
  }
}

void Examination::sum_up() {
  if (report_.missing > 0) {
    const bool helps = vectors_.in_copies > 0;
    find("missing vectors",
         records_text(report_.missing) + " of " + std::to_string(report_.rows) +
             (vectors_.unassigned > 0 ? " have no vector that is theirs for certain" : " have no vector anywhere") +
             (helps ? " but in quarantined copies, which have " + std::to_string(vectors_.in_copies) : ""),
         remedies_.for_missing(vectors_.in_copies));
  }
  if (report_.stale > 0) {
    find("stale vectors",
         records_text(report_.stale) + " of " + std::to_string(report_.rows) +
             " have only the vector of an older text, which is none",
         remedies_.embed());
  }
  if (report_.ghosts > 0) {
    find("ghosts",
         vectors_text(report_.ghosts) + " of the index belong to no record; Chroma finds them, without any text",
         remedies_.copy());
  }
}

}  // namespace

Result<Coverage> examine_collection(const FolderPalace& palace, Connection& connection, const SchemaVersions& versions,
                                    const CollectionRow& row, const Recovered& vectors, VerifyDepth depth) {
  return Examination(palace, connection, versions, row, vectors).run(depth);
}

}  // namespace loci::chroma
