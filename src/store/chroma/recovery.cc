#include "store/chroma/recovery.h"

#include <algorithm>
#include <unordered_map>

#include "store/chroma/queue.h"
#include "store/chroma/rank_labels.h"

namespace loci::chroma {
namespace {

using Places = std::unordered_map<std::string, VectorPlace>;

// The labels of a segment and the slots that carry them.
std::size_t add_labelled(const SegmentFolder& segment, std::uint32_t number, Places& places) {
  if (segment.slots() == 0) return 0;
  std::unordered_map<std::uint64_t, const std::string*> ids;
  ids.reserve(segment.labels().labels.size());
  for (const auto& [id, label] : segment.labels().labels) ids.emplace(label, &id);
  std::size_t found = 0;
  for (std::size_t slot = 0; slot < segment.slots() && !ids.empty(); ++slot) {
    if (slot % SegmentFolder::kLetGoSlots == 0) segment.let_go();
    const auto id = ids.find(segment.label(slot));
    if (id == ids.end()) continue;
    places.try_emplace(*id->second, VectorPlace{VectorPlace::Kind::slot, number, static_cast<std::int64_t>(slot)});
    ids.erase(id);
    ++found;
  }
  segment.let_go();
  return found;
}

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
    result_.by_id.reserve(result_.records.size());
    for (std::size_t i = 0; i < result_.records.size(); ++i) result_.by_id.emplace(result_.records[i].id, i);
    return std::move(result_);
  }

 private:
  Status read_records();
  Status open_index();
  Status find_frontier();
  Status place_labelled();
  Status replay();
  void assign();
  Status look_into_copies(Copies copies);

  Connection& connection_;
  const std::filesystem::path& folder_;
  const CollectionRow& collection_;
  Recovered result_;
  Places places_;
  std::unordered_map<std::string, std::int64_t> last_seq_;  // in the queue, by id
  std::int64_t replay_after_ = 0;
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
  return {};
}

Status Recovery::open_index() {
  result_.dimension = collection_.dimension;
  if (collection_.vector_segment.empty()) return {};
  std::shared_ptr<const SegmentFolder> index =
      TRY(SegmentFolder::open(folder_ / collection_.vector_segment, expected_index(collection_)));
  if (!index) return {};
  result_.has_index = true;
  if (!result_.dimension && index->dimension() > 0) result_.dimension = index->dimension();
  result_.segments.push_back(std::move(index));
  return {};
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

Status Recovery::place_labelled() {
  if (!result_.has_index) return {};
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
    const std::size_t named = add_labelled(index, 0, places_);
    result_.unassigned = live > named ? live - named : 0;
    return {};
  }
  add_labelled(index, 0, places_);
  return {};
}

Status Recovery::replay() {
  return visit_queue(connection_, collection_, replay_after_, [&](const QueueRow& row) -> Status {
    if (!row.operation) return {};
    std::string id(row.id);
    last_seq_[id] = row.seq;
    const bool has_vector = row.vector_bytes > 0 && row.vector_bytes % sizeof(float) == 0 &&
                            (!result_.dimension || row.vector_bytes == *result_.dimension * sizeof(float));
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
  std::reverse(folders.begin(), folders.end());  // the newest one knows best
  if (folders.empty() || result_.missing == 0) return {};
  std::unordered_map<std::string_view, RecoveredRecord*> wanted;
  for (RecoveredRecord& record : result_.records) {
    // What was written after the frontier is not in a copy that is older.
    if (record.place.kind == VectorPlace::Kind::nowhere && record.seq <= result_.frontier)
      wanted.emplace(record.id, &record);
  }
  for (const std::filesystem::path& each : folders) {
    const std::shared_ptr<const SegmentFolder> copy = TRY(SegmentFolder::open(each, expected_index(collection_)));
    if (!copy || copy->slots() == 0) continue;
    const auto number = static_cast<std::uint32_t>(result_.segments.size());
    Places places;
    add_labelled(*copy, number, places);
    bool is_used = false;
    for (const auto& [id, place] : places) {
      const auto found = wanted.find(id);
      if (found == wanted.end()) continue;
      ++result_.in_copies;
      if (copies == Copies::used) {
        found->second->place = place;
        --result_.missing;
        ++result_.vectors;
        is_used = true;
      }
      wanted.erase(found);
    }
    if (is_used) result_.segments.push_back(copy);
  }
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

std::vector<std::filesystem::path> copies_of(const std::filesystem::path& folder, std::string_view segment) {
  std::vector<std::filesystem::path> copies;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(segment) || segment.empty()) continue;
    const std::string_view suffix = std::string_view(name).substr(segment.size());
    for (const std::string_view mark : {".drift-", ".corrupt-", ".quarantine-"}) {
      if (suffix.starts_with(mark)) copies.push_back(entry->path());
    }
  }
  std::sort(copies.begin(), copies.end());
  return copies;
}

}  // namespace loci::chroma
