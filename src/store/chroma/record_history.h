// What the writes in the queue make of one record.
//
// An add counts only where the id is not there yet, and an update only where it is; those that do not count stay in the
// queue all the same, with a vector that is nobody's. Whether the id was there before its first row in the queue, the
// queue does not say. So both cases are followed, and the table of records decides between them: it keeps the number of
// the last write that counted.
#pragma once

#include <cstdint>
#include <optional>

#include "store/chroma/queue.h"

namespace loci::chroma {

// For one thread.
class RecordHistory {
 public:
  static constexpr std::int64_t kNone = 0;
  static constexpr std::int64_t kFromBefore = -1;  // it has the vector that it had before the first row

  struct Outcome {
    bool is_there = false;
    bool is_erased = false;     // by a row of the queue
    std::int64_t last_seq = 0;  // the last write that counted; 0: none did
    std::int64_t vector_seq = kNone;
  };

  // `last_seq`: the number in the table of records; nothing where the id is no record.
  explicit RecordHistory(std::optional<std::int64_t> last_seq) : last_seq_(last_seq) {}

  // Rows come in the order of their numbers.
  void follow(const QueueRow& row, bool has_vector);

  std::int64_t first_seq() const { return first_seq_; }
  // Was the last write that counted an add? Then it made the record.
  bool is_made_by_add() const { return is_made_by_add_; }
  // Whose vector may be of an older text.
  bool has_vector() const { return if_new_.vector_seq > 0 || if_there_.vector_seq > 0; }
  // The outcome where the id was not there, or was, whatever the table says; and only when the table agrees with it.
  const Outcome& if_new() const { return if_new_; }
  const Outcome& if_there() const { return if_there_; }
  std::optional<Outcome> agreed_if_new() const;
  std::optional<Outcome> agreed_if_there() const;

 private:
  void follow(Outcome& outcome, const QueueRow& row, bool has_vector) const;

  const std::optional<std::int64_t> last_seq_;
  std::int64_t first_seq_ = 0;
  bool is_made_by_add_ = false;
  Outcome if_new_;
  Outcome if_there_ = {.is_there = true, .vector_seq = kFromBefore};
};

}  // namespace loci::chroma
