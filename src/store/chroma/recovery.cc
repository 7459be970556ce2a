#include "store/chroma/recovery.h"

#include <algorithm>
#include <unordered_map>

#include "store/chroma/index_copies.h"
#include "store/chroma/queue.h"
#include "store/chroma/rank_labels.h"

namespace loci::chroma {
namespace {

using Places = std::unordered_map<std::string, VectorPlace>;

// For one collection.
class Recovery {
 public:
  Recovery(Connection& connection, const std::filesystem::path& folder, const CollectionRow& collection)
      : connection_(connection), folder_(folder), collection_(collection) {}

  Result<Recovered> run(Copies copies) {
    TRY(read_records());
    TRY(open_index());
    TRY(find_frontier());
    TRY(place_labelled());
    TRY(replay());
    assign();
    TRY(look_into_copies(copies));
    // A dimension that nothing has is not the vectors'.
    if (collection_.dimension && result_.vectors + result_.in_copies == 0) result_.dimension = collection_.dimension;
    return std::move(result_);
  }

 private:
  Status read_records();
  Status open_index();
  bool holds_records(const SegmentFolder& index) const;
  Status find_frontier();
  Status place_labelled();
  Status replay();
  void assign();
  Status look_into_copies(Copies copies);
  Status look_into_copy(const LabelledSegment& copy, const LabelledSegment* newer, Copies copies);
  std::size_t place_in_index();

  Connection& connection_;
  const std::filesystem::path& folder_;
  const CollectionRow& collection_;
  Recovered result_;
  ExpectedIndex expected_;
  bool is_index_usable_ = false;  // its vectors have the dimension of the others
  Places places_;
  std::unordered_map<std::string, std::int64_t> last_seq_;  // in the queue, by id
  std::int64_t replay_after_ = 0;
  std::unordered_map<std::string_view, RecoveredRecord*> lacking_;  // the missing ones, by id
};

Status Recovery::read_records() {
  Statement select =
      TRY(connection_.prepare("SELECT id, embedding_id, seq_id FROM embeddings WHERE segment_id = ?1 ORDER BY id"));
  select.bind(1, collection_.metadata_segment);
  while (TRY(select.step())) {
    result_.records.push_back({.row = select.integer(0),
                               .seq = seq_id_at(select, 2).value_or(0),
                               .id = std::string(select.text(1)),
                               .place = {}});
  }
  result_.by_id.reserve(result_.records.size());
  for (std::size_t i = 0; i < result_.records.size(); ++i) result_.by_id.emplace(result_.records[i].id, i);
  return {};
}

// Chroma's own checks keep the dimension of the database, of the index and of the queue the same. Where they differ,
// the index says it in every slot, and the queue in every row; the database only once.
Status Recovery::open_index() {
  const QueuedDimensions queued = TRY(queued_dimensions(connection_, collection_));
  expected_ = expected_index(collection_);
  if (queued.newest && queued.is_one) expected_.dimension = queued.newest;
  result_.dimension = collection_.dimension ? expected_.dimension : std::nullopt;
  if (collection_.vector_segment.empty()) return {};
  std::shared_ptr<const SegmentFolder> index =
      TRY(SegmentFolder::open(folder_ / collection_.vector_segment, expected_));
  if (!index) return {};
  result_.has_index = true;
  if (index->dimension() > 0 && !result_.dimension) result_.dimension = index->dimension();
  if (index->header() && collection_.dimension && holds_records(*index)) {
    const bool agrees = index->dimension() == *collection_.dimension;
    if (agrees || queued.newest != collection_.dimension) result_.dimension = index->dimension();
  }
  is_index_usable_ = index->dimension() == result_.dimension;
  result_.segments.push_back(std::move(index));
  return {};
}

bool Recovery::holds_records(const SegmentFolder& index) const {
  if (index.is_fresh()) return false;
  if (index.pickle() != PickleState::whole) return !result_.records.empty();
  const auto& labels = index.labels().labels;
  return std::any_of(labels.begin(), labels.end(),
                     [&](const auto& each) { return result_.by_id.contains(each.first); });
}

Status Recovery::find_frontier() {
  Statement first =
      TRY(connection_.prepare("SELECT min(seq_id) FROM embeddings_queue WHERE topic = ?1 OR substr(topic, -37) = ?2"));
  const std::string suffix = "/" + collection_.id;
  TRY(first.bind(1, collection_.topic).bind(2, suffix).step());
  const std::int64_t begin = first.is_null(0) ? 0 : first.integer(0);
  const SegmentFolder* index = result_.has_index ? result_.segments[0].get() : nullptr;
  if (collection_.vector_frontier && !collection_.vector_frontier->is_lost) {
    result_.frontier = collection_.vector_frontier->seq;
  } else if (index != nullptr && index->labels().max_seq_id) {
    result_.frontier = *index->labels().max_seq_id;
  } else if (index != nullptr && index->pickle() == PickleState::whole) {
    result_.frontier = begin;  // Chroma purges up to the frontier and keeps the row that is equal to it
  }
  std::int64_t oldest = INT64_MAX;
  for (const RecoveredRecord& record : result_.records) oldest = std::min(oldest, record.seq);
  result_.is_queue_purged = !result_.records.empty() && (begin == 0 || begin > oldest);
  // Rows at or below the frontier say again what the index knows, and are all there is where it is gone. In a queue
  // that was emptied and began anew they are rows that Chroma itself never looked at.
  const std::int64_t last = TRY(last_queue_seq(connection_));
  replay_after_ = last < result_.frontier ? result_.frontier : 0;
  return {};
}

std::size_t Recovery::place_in_index() {
  std::size_t placed = 0;
  result_.segments[0]->visit_labelled([&](const std::string& id, std::size_t slot) {
    places_.try_emplace(id, VectorPlace{VectorPlace::Kind::slot, 0, static_cast<std::int64_t>(slot)});
    ++placed;
  });
  return placed;
}

Status Recovery::place_labelled() {
  if (!is_index_usable_) return {};
  const SegmentFolder& index = *result_.segments[0];
  if (index.pickle() != PickleState::whole && !index.is_fresh() && index.slots() > 0) {
    std::vector<RankedRow> rows;
    rows.reserve(result_.records.size());
    for (const RecoveredRecord& record : result_.records) rows.push_back({record.id, record.seq});
    const auto slots = TRY(slots_by_rank(connection_, collection_, index, rows, result_.frontier));
    if (slots) {
      result_.is_by_rank = true;
      for (const auto& [id, slot] : *slots)
        places_.try_emplace(std::string(id), VectorPlace{VectorPlace::Kind::slot, 0, static_cast<std::int64_t>(slot)});
      return {};
    }
    std::size_t live = 0;
    for (std::size_t slot = 0; slot < index.slots(); ++slot) live += index.is_deleted(slot) ? 0 : 1;
    const std::size_t named = place_in_index();
    result_.unassigned = live > named ? live - named : 0;
    return {};
  }
  place_in_index();
  return {};
}

Status Recovery::replay() {
  return visit_queue(connection_, collection_, replay_after_, [&](const QueueRow& row) -> Status {
    if (!row.operation) return {};
    std::string id(row.id);
    last_seq_[id] = row.seq;
    const bool has_vector = carries_vector(row, result_.dimension);
    const VectorPlace place{VectorPlace::Kind::queue, 0, row.seq};
    switch (*row.operation) {
      case QueueOperation::add:
        if (has_vector) places_.try_emplace(std::move(id), place);
        break;
      case QueueOperation::update:
        // Without its index an id that is updated was there all the same, or it would be no record now.
        if (has_vector && (places_.contains(id) || !result_.has_index)) places_.insert_or_assign(std::move(id), place);
        break;
      case QueueOperation::upsert:
        if (has_vector) places_.insert_or_assign(std::move(id), place);
        break;
      case QueueOperation::erase: places_.erase(id); break;
    }
    return {};
  });
}

void Recovery::assign() {
  for (RecoveredRecord& record : result_.records) {
    const auto found = places_.find(record.id);
    if (found == places_.end()) {
      ++result_.missing;
      lacking_.emplace(record.id, &record);
      continue;
    }
    const auto queued = last_seq_.find(record.id);
    const bool is_in_slot = found->second.kind == VectorPlace::Kind::slot;
    const bool is_current = (queued != last_seq_.end() && queued->second >= record.seq) ||
                            (is_in_slot && (record.seq <= result_.frontier || result_.is_by_rank));
    if (is_current) {
      record.place = found->second;
      ++result_.vectors;
    } else {
      ++result_.stale;
    }
    places_.erase(found);
  }
  for (const auto& [id, place] : places_) result_.ghosts += place.kind == VectorPlace::Kind::slot ? 1 : 0;
}

Status Recovery::look_into_copies(Copies copies) {
  if (collection_.vector_segment.empty()) return {};
  std::vector<std::filesystem::path> folders = copies_of(folder_, collection_.vector_segment);
  if (folders.empty()) return {};
  std::reverse(folders.begin(), folders.end());  // the newest one knows best
  std::optional<LabelledSegment> newer;
  if (result_.has_index && !result_.segments[0]->is_fresh()) newer = read_labelled(result_.segments[0]);
  for (const std::filesystem::path& each : folders) {
    std::shared_ptr<const SegmentFolder> segment = TRY(SegmentFolder::open(each, expected_));
    if (!segment) continue;
    if (!result_.dimension && segment->dimension() > 0) result_.dimension = segment->dimension();
    if (segment->dimension() != result_.dimension) {
      result_.copies.push_back({.name = each.filename().string()});
      continue;
    }
    const bool is_fresh = segment->is_fresh();
    LabelledSegment copy = read_labelled(std::move(segment));
    TRY(look_into_copy(copy, newer ? &*newer : nullptr, copies));
    if (!is_fresh) newer = std::move(copy);
  }
  return {};
}

Status Recovery::look_into_copy(const LabelledSegment& copy, const LabelledSegment* newer, Copies copies) {
  CopyContents& contents = result_.copies.emplace_back(CopyContents{.name = copy.segment->path().filename().string()});
  std::vector<std::pair<RecoveredRecord*, std::size_t>> needed;
  for (const auto& [id, slot] : copy.slots) {
    ++contents.held;
    contents.of_records += result_.by_id.contains(id) ? 1 : 0;
    if (const auto found = lacking_.find(id); found != lacking_.end()) needed.emplace_back(found->second, slot);
  }
  if (needed.empty()) return {};
  const std::int64_t frontier = TRY(least_frontier(connection_, collection_, result_, copy, newer));
  const auto number = static_cast<std::uint32_t>(result_.segments.size());
  for (const auto& [record, slot] : needed) {
    if (record->seq > frontier) {
      ++contents.doubtful;
      continue;
    }
    ++contents.only_here;
    lacking_.erase(record->id);
    if (copies == Copies::used) record->place = {VectorPlace::Kind::slot, number, static_cast<std::int64_t>(slot)};
  }
  result_.in_copies += contents.only_here;
  if (copies == Copies::ignored || contents.only_here == 0) return {};
  result_.missing -= contents.only_here;
  result_.vectors += contents.only_here;
  result_.segments.push_back(copy.segment);
  return {};
}

}  // namespace

ExpectedIndex expected_index(const CollectionRow& collection) {
  return {.metric = collection.space.metric,
          .dimension = collection.dimension,
          .neighbours = collection.space.neighbours.value_or(16)};
}

Result<Recovered> recover(Connection& connection, const std::filesystem::path& folder, const CollectionRow& collection,
                          Copies copies) {
  return Recovery(connection, folder, collection).run(copies);
}

Result<std::optional<Embedding>> vector_at(Connection& connection, const Recovered& recovered,
                                           const VectorPlace& place) {
  switch (place.kind) {
    case VectorPlace::Kind::nowhere: break;
    case VectorPlace::Kind::queue: return queue_vector(connection, place.at, recovered.dimension);
    case VectorPlace::Kind::slot: {
      const SegmentFolder& segment = *recovered.segments[place.segment];
      std::optional<Embedding> vector = segment.vector(static_cast<std::size_t>(place.at));
      if (segment.is_whole()) return vector;
      return Error{ErrorKind::corruption, segment.path().string() + " was cut off while it was read; try again"};
    }
  }
  return std::optional<Embedding>();
}

}  // namespace loci::chroma
