#include "store/chroma/index_copies.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <sys/stat.h>

#include "store/chroma/queue.h"
#include "store/chroma/segment_name.h"

namespace loci::chroma {
namespace {

// When a copy was renamed; where its name does not say it, when its vectors were last written.
std::string age_of(const std::filesystem::path& copy) {
  const std::string name = copy.filename().string();
  if (const auto time = time_of_copy(name)) return std::string(*time);
  struct stat status {};
  return ::stat((copy / "data_level0.bin").c_str(), &status) == 0 ? copy_time(status.st_mtim.tv_sec) : "";
}

bool has_label(const LabelledSegment& copy, const std::string& id) {
  const auto& labels = copy.segment->labels().labels;
  return std::any_of(labels.begin(), labels.end(), [&](const auto& label) { return label.first == id; });
}

// Has the copy what the queue says up to the frontier of the database? The row at the frontier is never purged, so an
// index that was made, persisted and deleted after the copy shows itself.
Result<bool> agrees_with_queue(Connection& connection, const CollectionRow& collection, const Recovered& recovered,
                               const LabelledSegment& copy) {
  const std::int64_t frontier = recovered.frontier;
  struct Last {
    bool is_erased = false;
    std::int64_t vector_seq = 0;
  };
  std::unordered_map<std::string, Last> queued;
  TRY(visit_queue(connection, collection, 0, [&](const QueueRow& row) -> Status {
    if (!row.operation || row.seq > frontier) return {};
    // An add of what was there: it would be the last write otherwise.
    const auto record = recovered.by_id.find(row.id);
    if (*row.operation == QueueOperation::add && record != recovered.by_id.end() &&
        recovered.records[record->second].seq < row.seq) {
      return {};
    }
    Last& last = queued[std::string(row.id)];
    last.is_erased = *row.operation == QueueOperation::erase;
    if (last.is_erased) last.vector_seq = 0;
    if (row.vector_bytes > 0) last.vector_seq = row.seq;
    return {};
  }));
  const bool is_whole = copy.segment->pickle() == PickleState::whole;
  for (const auto& [id, last] : queued) {
    const auto slot = copy.slots.find(id);
    if (last.is_erased && slot != copy.slots.end()) return false;
    if (last.vector_seq == 0) continue;
    const auto vector = TRY(queue_vector(connection, last.vector_seq, copy.segment->dimension()));
    if (!vector) continue;
    const bool may_be_cut_off = slot == copy.slots.end() && (!is_whole || has_label(copy, id));
    if (may_be_cut_off) continue;
    if (slot == copy.slots.end() || !copy.segment->holds(slot->second, *vector)) return false;
  }
  return true;
}

// Chroma makes an index from what is left of its queue, which begins with the row at the frontier before. So all that
// the newer index has was written there or later, and nothing less is safe to say: updates of what it lacks were passed
// over and purged. But where the oldest of it is the first that it took in, and the last that the copy did, with the
// same vector, that is the very row at the frontier.
std::int64_t frontier_by_successor(const Recovered& recovered, const LabelledSegment& copy,
                                   const LabelledSegment& newer) {
  if (newer.segment->pickle() != PickleState::whole) return 0;
  const RecoveredRecord* oldest = nullptr;
  std::size_t slot = 0;
  for (const auto& [id, at] : newer.slots) {
    const auto found = recovered.by_id.find(id);
    if (found == recovered.by_id.end()) continue;
    const RecoveredRecord& record = recovered.records[found->second];
    if (oldest != nullptr && oldest->seq <= record.seq) continue;
    oldest = &record;
    slot = at;
  }
  if (oldest == nullptr || newer.segment->label(slot) != 1) return 0;
  const auto old = copy.slots.find(oldest->id);
  if (old == copy.slots.end() || copy.segment->label(old->second) != copy.segment->labels().total_elements_added)
    return 0;
  const std::optional<Embedding> vector = copy.segment->vector(old->second);
  return vector && vector == newer.segment->vector(slot) ? oldest->seq : 0;
}

// Each label was given at a write of its own, and the records of other collections were written at others: a frontier
// has at least as many numbers below it.
Result<std::int64_t> frontier_by_count(Connection& connection, const CollectionRow& collection,
                                       const LabelledSegment& copy) {
  if (copy.segment->pickle() != PickleState::whole) return 0;
  std::vector<std::int64_t> others;
  Statement select = TRY(connection.prepare("SELECT seq_id FROM embeddings WHERE segment_id <> ?1"));
  select.bind(1, collection.metadata_segment);
  while (TRY(select.step())) {
    if (const auto seq = seq_id_at(select, 0)) others.push_back(*seq);
  }
  std::sort(others.begin(), others.end());
  const auto labels = static_cast<std::int64_t>(copy.segment->slots());
  std::int64_t frontier = labels;
  for (std::int64_t before = 0; before != frontier;) {
    before = frontier;
    frontier = labels + (std::upper_bound(others.begin(), others.end(), before) - others.begin());
  }
  return frontier;
}

}  // namespace

LabelledSegment read_labelled(std::shared_ptr<const SegmentFolder> segment) {
  LabelledSegment labelled;
  segment->visit_labelled([&](const std::string& id, std::size_t slot) { labelled.slots.try_emplace(id, slot); });
  labelled.segment = std::move(segment);
  return labelled;
}

std::vector<std::filesystem::path> copies_of(const std::filesystem::path& folder, std::string_view segment) {
  std::vector<std::pair<std::string, std::filesystem::path>> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (segment_of_copy(entry->path().filename().string()) == segment)
      found.emplace_back(age_of(entry->path()), entry->path());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::filesystem::path> copies;
  for (auto& [age, copy] : found) copies.push_back(std::move(copy));
  return copies;
}

Result<std::int64_t> least_frontier(Connection& connection, const CollectionRow& collection, const Recovered& recovered,
                                    const LabelledSegment& copy, const LabelledSegment* newer) {
  const IndexMetadata& labels = copy.segment->labels();
  if (labels.max_seq_id) return *labels.max_seq_id;
  const std::int64_t certain = std::max(labels.last_seq, TRY(frontier_by_count(connection, collection, copy)));
  if (newer != nullptr) return std::max(certain, frontier_by_successor(recovered, copy, *newer));
  if (TRY(agrees_with_queue(connection, collection, recovered, copy))) return std::max(certain, recovered.frontier);
  return certain;
}

}  // namespace loci::chroma
