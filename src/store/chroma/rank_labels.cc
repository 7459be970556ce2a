#include "store/chroma/rank_labels.h"

#include <map>
#include <set>
#include <string>

#include "store/chroma/queue.h"

namespace loci::chroma {
namespace {

using Slots = std::unordered_map<std::string_view, std::size_t>;

// What the queue says about one id.
struct QueueHistory {
  std::int64_t first_seq = 0;
  QueueOperation first = QueueOperation::add;
  bool is_erased = false;             // at any time after the frontier
  std::vector<std::int64_t> vectors;  // rows that carry one, oldest first
};

std::vector<std::size_t> live_slots(const SegmentFolder& segment) {
  std::map<std::uint64_t, std::size_t> by_label;
  for (std::size_t slot = 0; slot < segment.slots(); ++slot) {
    if (segment.is_deleted(slot)) continue;
    const std::uint64_t label = segment.label(slot);
    if (label == 0 || label > segment.slots() || !by_label.emplace(label, slot).second) return {};
  }
  std::vector<std::size_t> slots;
  for (const auto& [label, slot] : by_label) slots.push_back(slot);
  return slots;
}

}  // namespace

Result<std::optional<Slots>> slots_by_rank(Connection& connection, const CollectionRow& collection,
                                           const SegmentFolder& segment, const std::vector<RankedRow>& rows,
                                           std::int64_t frontier) {
  const std::vector<std::size_t> live = live_slots(segment);
  if (live.empty() || live.size() > rows.size()) return std::optional<Slots>();
  std::unordered_map<std::string_view, std::int64_t> last_seqs;
  for (const RankedRow& row : rows) last_seqs.emplace(row.id, row.seq);
  std::map<std::string, QueueHistory, std::less<>> histories;
  TRY(visit_queue(connection, collection, 0, [&](const QueueRow& row) -> Status {
    if (!row.operation) return {};
    // An add of what was there: it would be the last write otherwise.
    const auto last = last_seqs.find(row.id);
    if (last != last_seqs.end() && row.seq > last->second && *row.operation == QueueOperation::add) return {};
    auto [found, is_new] = histories.try_emplace(std::string(row.id));
    QueueHistory& history = found->second;
    if (row.seq > frontier && history.first_seq == 0) {
      history.first_seq = row.seq;
      history.first = *row.operation;
    }
    if (row.seq > frontier && *row.operation == QueueOperation::erase) history.is_erased = true;
    if (row.vector_bytes > 0) history.vectors.push_back(row.seq);
    return {};
  }));
  // Files of the frontier lack the newest rows, which the tail of the queue made; files of the end lack none.
  const std::size_t newer = rows.size() - live.size();
  const bool is_of_frontier = newer > 0;
  for (const auto& [id, history] : histories) {
    if (history.is_erased) return std::optional<Slots>();  // its label may be among the live ones
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto found = histories.find(rows[i].id);
    const bool made_by_tail =
        found != histories.end() && found->second.first_seq > 0 &&
        (found->second.first == QueueOperation::add || found->second.first == QueueOperation::upsert);
    if (i >= live.size() && !made_by_tail) return std::optional<Slots>();
    if (i < live.size() && is_of_frontier && found != histories.end() && found->second.first_seq > 0 &&
        found->second.first == QueueOperation::add) {
      return std::optional<Slots>();
    }
  }
  Slots slots;
  std::size_t anchors = 0;
  for (std::size_t i = 0; i < live.size(); ++i) {
    slots.emplace(rows[i].id, live[i]);
    const auto found = histories.find(rows[i].id);
    if (found == histories.end()) continue;
    std::int64_t anchor = 0;
    for (const std::int64_t seq : found->second.vectors) {
      if (!is_of_frontier || seq <= frontier) anchor = seq;
    }
    if (anchor == 0) continue;
    const std::optional<Embedding> in_queue = TRY(queue_vector(connection, anchor, segment.dimension()));
    if (!in_queue || !segment.holds(live[i], *in_queue)) return std::optional<Slots>();
    ++anchors;
  }
  if (anchors == 0) return std::optional<Slots>();
  return std::optional(std::move(slots));
}

}  // namespace loci::chroma
