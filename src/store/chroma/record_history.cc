#include "store/chroma/record_history.h"

namespace loci::chroma {

void RecordHistory::follow(const QueueRow& row, bool has_vector) {
  if (!row.operation) return;
  if (first_seq_ == 0) first_seq_ = row.seq;
  // A write behind the last one that counted did not count.
  if (last_seq_ && row.seq > *last_seq_) return;
  is_made_by_add_ = row.seq == last_seq_ && *row.operation == QueueOperation::add;
  follow(if_new_, row, has_vector);
  follow(if_there_, row, has_vector);
}

void RecordHistory::follow(Outcome& outcome, const QueueRow& row, bool has_vector) const {
  switch (*row.operation) {
    case QueueOperation::add:
      if (outcome.is_there) return;
      break;
    case QueueOperation::update:
      // Where a text changes and its vector is none any more, Loci erases the id and updates it, and the record stays.
      if (!outcome.is_there && !(outcome.is_erased && row.seq == last_seq_)) return;
      break;
    case QueueOperation::upsert: break;
    case QueueOperation::erase: outcome = {.is_erased = true}; return;
  }
  outcome.is_there = true;
  outcome.last_seq = row.seq;
  if (has_vector) outcome.vector_seq = row.seq;
}

std::optional<RecordHistory::Outcome> RecordHistory::agreed_if_new() const {
  if (!if_new_.is_there || if_new_.last_seq != last_seq_) return {};
  return if_new_;
}

std::optional<RecordHistory::Outcome> RecordHistory::agreed_if_there() const {
  const bool is_as_before = if_there_.last_seq == 0 && last_seq_ < first_seq_;
  if (!if_there_.is_there || (if_there_.last_seq != last_seq_ && !is_as_before)) return {};
  return if_there_;
}

}  // namespace loci::chroma
