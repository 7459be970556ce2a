#include "store/chroma/recovery.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "store/chroma/index_copies.h"
#include "store/chroma/queue.h"
#include "store/chroma/rank_labels.h"
#include "store/chroma/record_history.h"

namespace loci::chroma {
namespace {

// A record without a vector, which a copy as far as that frontier has.
struct Lacking {
  RecoveredRecord* record = nullptr;
  std::int64_t least_frontier = 0;
};

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
    TRY(assign());
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
  std::size_t place_in_index();
  Status replay();
  Status assign();
  void prepare_to_tell_older_ones();
  Result<std::optional<bool>> was_there(std::size_t record, const RecordHistory& history);
  Result<std::optional<bool>> was_there_by_time(std::int64_t row, std::int64_t first_seq);
  Result<std::optional<VectorPlace>> current_place(std::size_t record, const RecordHistory* history,
                                                   const VectorPlace& before);
  void note_lacking(RecoveredRecord& record, const RecordHistory* history);
  Status look_into_copies(Copies copies);
  Status look_into_copy(const LabelledSegment& copy, const LabelledSegment* newer, Copies copies);

  Connection& connection_;
  const std::filesystem::path& folder_;
  const CollectionRow& collection_;
  Recovered result_;
  ExpectedIndex expected_;
  bool is_index_usable_ = false;                              // its vectors have the dimension of the others
  std::unordered_set<std::string_view> labelled_;             // ids in a whole index, also where the slot is gone
  std::unordered_map<std::string, std::size_t> slots_;        // of the index, by id
  std::unordered_map<std::string, RecordHistory> histories_;  // by id
  std::int64_t queue_begin_ = 0;                              // 0: it is empty
  std::int64_t replay_after_ = 0;
  std::size_t first_made_ = SIZE_MAX;                      // the first record that an add of the queue made
  std::vector<std::int64_t> least_seq_behind_;             // of each record: of those made later
  std::unordered_map<std::string_view, Lacking> lacking_;  // the missing ones, by id
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
  queue_begin_ = begin;
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
  result_.segments[0]->visit_labelled([&](const std::string& id, std::size_t slot) { slots_.try_emplace(id, slot); });
  return slots_.size();
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
      for (const auto& [id, slot] : *slots) slots_.try_emplace(std::string(id), slot);
      return {};
    }
    std::size_t live = 0;
    index.visit_slots([&](std::size_t slot) { live += index.is_deleted(slot) ? 0 : 1; });
    const std::size_t named = place_in_index();
    result_.unassigned = live > named ? live - named : 0;
    return {};
  }
  for (const auto& [id, label] : index.labels().labels) labelled_.insert(id);
  place_in_index();
  return {};
}

Status Recovery::replay() {
  return visit_queue(connection_, collection_, replay_after_, [&](const QueueRow& row) -> Status {
    if (!row.operation) return {};
    std::string id(row.id);
    const auto record = result_.by_id.find(id);
    std::optional<std::int64_t> last_seq;
    if (record != result_.by_id.end()) last_seq = result_.records[record->second].seq;
    histories_.try_emplace(std::move(id), last_seq).first->second.follow(row, carries_vector(row, result_.dimension));
    return {};
  });
}

// Rows of the table stand in the order in which they were made.
void Recovery::prepare_to_tell_older_ones() {
  least_seq_behind_.resize(result_.records.size());
  std::int64_t least = INT64_MAX;
  for (std::size_t i = result_.records.size(); i-- > 0;) {
    const RecoveredRecord& record = result_.records[i];
    least_seq_behind_[i] = least;
    least = std::min(least, record.seq);
    const auto history = histories_.find(record.id);
    if (history != histories_.end() && history->second.is_made_by_add()) first_made_ = i;
  }
}

// Was the record there before its first row in the queue? Nothing when that cannot be said.
Result<std::optional<bool>> Recovery::was_there(std::size_t record, const RecordHistory& history) {
  // One that was made later was there already.
  if (least_seq_behind_[record] < history.first_seq()) return std::optional(true);
  // One that was made earlier was made by the queue.
  if (record > first_made_) return std::optional(false);
  // Chroma purges up to the frontier of the index.
  if (!collection_.vector_frontier && !result_.is_queue_purged) return std::optional(false);
  // The labels are those of the frontier.
  const SegmentFolder* index = is_index_usable_ ? result_.segments[0].get() : nullptr;
  if (index != nullptr && (index->is_fresh() || index->pickle() == PickleState::whole)) {
    if (!labelled_.contains(result_.records[record].id)) return std::optional(false);
    if (history.first_seq() > result_.frontier) return std::optional(true);
  }
  return was_there_by_time(result_.records[record].row, history.first_seq());
}

// A row of the table is made when its write is in the queue. Times are of whole seconds: equal ones say nothing.
Result<std::optional<bool>> Recovery::was_there_by_time(std::int64_t row, std::int64_t first_seq) {
  Statement select =
      TRY(connection_.prepare("SELECT e.created_at < f.created_at, e.created_at > b.created_at "
                              "FROM embeddings e, embeddings_queue f, embeddings_queue b "
                              "WHERE e.id = ?1 AND f.seq_id = ?2 AND b.seq_id = ?3 AND typeof(e.created_at) = 'text' "
                              "AND typeof(f.created_at) = 'text' AND typeof(b.created_at) = 'text'"));
  select.bind(1, row).bind(2, first_seq).bind(3, queue_begin_);
  if (!TRY(select.step())) return std::optional<bool>();
  const bool is_older = select.integer(0) != 0;
  const bool is_newer_than_queue = select.integer(1) != 0;
  if (is_older == is_newer_than_queue) return std::optional<bool>();
  return std::optional(is_older);
}

// Where the vector of the record's last write is, perhaps nowhere; nothing when that write is known to nobody.
// `before`: what the index has.
Result<std::optional<VectorPlace>> Recovery::current_place(std::size_t record, const RecordHistory* history,
                                                           const VectorPlace& before) {
  const std::int64_t seq = result_.records[record].seq;
  const bool index_knows = before.kind == VectorPlace::Kind::slot && (seq <= result_.frontier || result_.is_by_rank);
  const auto place_of = [&](const RecordHistory::Outcome& outcome) -> VectorPlace {
    if (outcome.vector_seq == RecordHistory::kFromBefore) return before;
    if (outcome.vector_seq == RecordHistory::kNone) return {};
    return {VectorPlace::Kind::queue, 0, outcome.vector_seq};
  };
  const auto if_new = history != nullptr ? history->agreed_if_new() : std::nullopt;
  const auto if_there = history != nullptr ? history->agreed_if_there() : std::nullopt;
  if (!if_new && !if_there) return index_knows ? std::optional(before) : std::optional<VectorPlace>();
  if (!if_there) return std::optional(place_of(*if_new));
  const VectorPlace found = place_of(*if_there);
  const bool is_untouched = if_there->last_seq == 0;  // and the index must have seen its last write
  if (!if_new || place_of(*if_new) == found) {
    if (is_untouched && before.kind == VectorPlace::Kind::slot && !index_knows) return std::optional<VectorPlace>();
    return std::optional(found);
  }
  // What the index has is right in both cases.
  const bool index_has_all = before.kind == VectorPlace::Kind::slot && seq <= result_.frontier;
  if (found.kind == VectorPlace::Kind::slot || index_has_all) return std::optional(before);
  const std::optional<bool> there = TRY(was_there(record, *history));
  if (!there) return std::optional(VectorPlace());
  return std::optional(*there ? found : place_of(*if_new));
}

// A copy that has the record must have seen its last write. But where all the writes to it that are left leave its
// vector as it is, a copy that the queue goes on from has it.
void Recovery::note_lacking(RecoveredRecord& record, const RecordHistory* history) {
  std::int64_t needed = record.seq;
  const auto if_there = history != nullptr ? history->agreed_if_there() : std::nullopt;
  if (if_there && if_there->vector_seq == RecordHistory::kFromBefore && replay_after_ == 0)
    needed = std::min(needed, queue_begin_ - 1);
  lacking_.emplace(record.id, Lacking{&record, needed});
}

Status Recovery::assign() {
  prepare_to_tell_older_ones();
  for (std::size_t i = 0; i < result_.records.size(); ++i) {
    RecoveredRecord& record = result_.records[i];
    VectorPlace before;
    if (const auto slot = slots_.find(record.id); slot != slots_.end())
      before = {VectorPlace::Kind::slot, 0, static_cast<std::int64_t>(slot->second)};
    const auto queued = histories_.find(record.id);
    const RecordHistory* history = queued != histories_.end() ? &queued->second : nullptr;
    const std::optional<VectorPlace> place = TRY(current_place(i, history, before));
    const bool has_older = before.kind == VectorPlace::Kind::slot || (history != nullptr && history->has_vector());
    if (place && place->kind != VectorPlace::Kind::nowhere) {
      record.place = *place;
      ++result_.vectors;
    } else if (!place && has_older) {
      ++result_.stale;
    } else {
      ++result_.missing;
      note_lacking(record, history);
    }
  }
  for (const auto& [id, slot] : slots_) {
    const auto history = histories_.find(id);
    const bool is_erased = history != histories_.end() && !history->second.if_there().is_there;
    result_.ghosts += result_.by_id.contains(id) || is_erased ? 0 : 1;
  }
  return {};
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
  std::vector<std::pair<Lacking, std::size_t>> needed;
  for (const auto& [id, slot] : copy.slots) {
    ++contents.held;
    contents.of_records += result_.by_id.contains(id) ? 1 : 0;
    if (const auto found = lacking_.find(id); found != lacking_.end()) needed.emplace_back(found->second, slot);
  }
  if (needed.empty()) return {};
  const std::int64_t frontier = TRY(least_frontier(connection_, collection_, result_, copy, newer));
  const auto number = static_cast<std::uint32_t>(result_.segments.size());
  for (const auto& [lacking, slot] : needed) {
    if (lacking.least_frontier > frontier) {
      ++contents.doubtful;
      continue;
    }
    ++contents.only_here;
    lacking_.erase(lacking.record->id);
    if (copies == Copies::used)
      lacking.record->place = {VectorPlace::Kind::slot, number, static_cast<std::int64_t>(slot)};
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
