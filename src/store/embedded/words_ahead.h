// The words of the texts that a batch brings, cut by a thread of its own while the writer is busy with the rows before.
// What is left for the writer is to hand them to FTS5.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "loci/source.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

// The words of one text, in the order of their positions. For each, one byte and the word itself: the byte is the
// word's length less one, plus 128 for a word at the same position as the one before it.
using PackedWords = std::string;

// `take` is for one thread, the writer's.
class WordsAhead {
 public:
  // Begins with the documents of these updates, which outlive it; of few short ones only when they are asked for.
  explicit WordsAhead(std::span<const SourceUpdate> updates);
  ~WordsAhead();
  WordsAhead(const WordsAhead&) = delete;
  WordsAhead& operator=(const WordsAhead&) = delete;

  // The words of the document with this number, counted through all updates. Numbers rise from call to call; those that
  // are left out are not waited for. Nothing: the thread has not come so far, and it is for FTS5 to cut the text.
  std::optional<PackedWords> take(std::size_t number) EXCLUDES(mutex_);

 private:
  void run() noexcept EXCLUDES(mutex_);

  std::vector<std::string_view> texts_;  // constant after construction

  Mutex mutex_;
  ConditionVariable is_cut_;
  std::vector<std::optional<PackedWords>> words_ GUARDED_BY(mutex_);
  std::size_t next_ GUARDED_BY(mutex_) = 0;  // the first text that nobody has begun with
  bool has_ended_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

// While it lives, the one document that is put into a word index of this connection has these words.
class WordsInHand {
 public:
  WordsInHand(Connection& connection, const PackedWords& words);
  ~WordsInHand();
  WordsInHand(const WordsInHand&) = delete;
  WordsInHand& operator=(const WordsInHand&) = delete;

  // What a connection's tokenizer looks at; null: there are none in hand, and it cuts the text itself.
  static const PackedWords* const* slot_of(sqlite3* handle);
  // Makes the slot; returns SQLite's result code.
  static int prepare(sqlite3* handle);

 private:
  const PackedWords** slot_;
};

// Calls `emit(is_colocated, word)` for each word until it returns something other than 0, and returns that.
template <typename Emit>
int for_each_word(std::string_view packed, const Emit& emit) {
  while (!packed.empty()) {
    const auto head = static_cast<unsigned char>(packed.front());
    const std::size_t size = (head & 0x7FU) + 1U;
    if (const int code = emit((head & 0x80U) != 0, packed.substr(1, size)); code != 0) return code;
    packed.remove_prefix(1 + size);
  }
  return 0;
}

}  // namespace loci::embedded
