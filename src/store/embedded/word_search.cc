#include "store/embedded/word_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "store/embedded/postings.h"
#include "store/embedded/schema.h"
#include "store/embedded/snapshot_memory.h"
#include "text/query_words.h"

namespace loci::embedded {
namespace {

constexpr double kSaturation = 1.2;     // BM25's k1: how much a second occurrence of a word still adds
constexpr double kLengthWeight = 0.75;  // BM25's b: how much a long text has to have more of it

struct PhraseCount {
  std::uint32_t phrase;
  std::uint32_t count;
};

// What the counts of a row's words are worth.
class Scorer {
 public:
  explicit Scorer(const Postings& postings) : average_size_(postings.totals.average_size) {
    for (const PostingList& list : postings.phrases) {
      const auto with_phrase = static_cast<double>(list->size());
      const double others = std::max(static_cast<double>(postings.totals.rows) - with_phrase, 0.0);
      rarity_.push_back(std::log1p((others + 0.5) / (with_phrase + 0.5)));
    }
    best_ = std::accumulate(rarity_.begin(), rarity_.end(), 0.0) * (kSaturation + 1);
  }

  double share(std::span<const PhraseCount> counts, double size) const {
    const double length = 1 - kLengthWeight + kLengthWeight * size / average_size_;
    double score = 0;
    for (const PhraseCount& found : counts) {
      const double count = found.count;
      score += rarity_[found.phrase] * count * (kSaturation + 1) / (count + kSaturation * length);
    }
    return best_ > 0 ? score / best_ : 0;
  }

  // Of a text of any size. Every operation of share() is monotone in the size, so no rounding lifts a score above this.
  double most(std::span<const PhraseCount> counts) const { return share(counts, 0); }

 private:
  double average_size_;
  std::vector<double> rarity_;  // of each phrase
  double best_ = 0;             // what no row's score reaches
};

struct Candidate {
  std::int64_t row;
  double most;
  std::size_t first;  // of its counts
  std::size_t end;
};

// Asked for rows in ascending order. Null: all are allowed.
class AllowedRows {
 public:
  explicit AllowedRows(const std::vector<std::int64_t>* rows) : rows_(rows) {}
  bool has(std::int64_t row) {
    if (rows_ == nullptr) return true;
    while (at_ < rows_->size() && (*rows_)[at_] < row) ++at_;
    return at_ < rows_->size() && (*rows_)[at_] == row;
  }

 private:
  const std::vector<std::int64_t>* rows_;
  std::size_t at_ = 0;
};

// Every allowed row that has a phrase, with what it can score at most.
class Candidates {
 public:
  Candidates(const Postings& postings, const Scorer& scorer, AllowedRows allowed) {
    std::vector<std::size_t> at(postings.phrases.size(), 0);
    std::size_t most_rows = 0;
    for (const PostingList& list : postings.phrases) most_rows += list->size();
    rows_.reserve(most_rows);
    counts_.reserve(most_rows);
    for (std::int64_t row = next_row(postings, at); row != kNone; row = next_row(postings, at)) {
      const std::size_t first = counts_.size();
      take(postings, at, row);
      if (allowed.has(row)) {
        rows_.push_back({row, scorer.most(std::span(counts_).subspan(first)), first, counts_.size()});
      } else {
        counts_.resize(first);
      }
    }
  }

  std::vector<Candidate>& rows() { return rows_; }
  std::span<const PhraseCount> counts(const Candidate& candidate) const {
    return std::span(counts_).subspan(candidate.first, candidate.end - candidate.first);
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  static std::int64_t next_row(const Postings& postings, const std::vector<std::size_t>& at) {
    std::int64_t row = kNone;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::vector<Posting>& list = *postings.phrases[i];
      if (at[i] < list.size()) row = std::min(row, list[at[i]].row);
    }
    return row;
  }

  void take(const Postings& postings, std::vector<std::size_t>& at, std::int64_t row) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::vector<Posting>& list = *postings.phrases[i];
      if (at[i] < list.size() && list[at[i]].row == row)
        counts_.push_back({static_cast<std::uint32_t>(i), list[at[i]++].count});
    }
  }

  std::vector<Candidate> rows_;
  std::vector<PhraseCount> counts_;
};

// FTS5 keeps the number of words of each text in a table of its own, as one variable-length integer: seven bits a byte,
// the high ones first (https://sqlite.org/fts5.html, "the %_docsize table").
class Sizes {
 public:
  // What is read in one go stays in the memory, if there is one.
  static Result<Sizes> open(Connection& connection, std::int64_t collection, CollectionMemory* memory) {
    const std::string table = words_table(collection) + "_docsize";
    Statement one = TRY(connection.prepare("SELECT sz FROM " + table + " WHERE id = ?1"));
    Statement range =
        TRY(connection.prepare("SELECT id, sz FROM " + table + " WHERE id BETWEEN ?1 AND ?2 ORDER BY id"));
    return Sizes(std::move(one), std::move(range), memory);
  }

  Result<double> of(std::int64_t row) {
    if (known_.has(row, row)) return known_size(known_, row);
    const bool is_there = TRY(one_.bind(1, row).step());
    if (!is_there) return lost_size();
    const double size = decode(one_.blob(0));
    one_.reset();
    return size;
  }

  // Reads the sizes of all rows from the first to the last in one go, which is cheaper than one by one.
  Status read_range(std::int64_t first, std::int64_t last) {
    known_.first = first;
    known_.words.assign(static_cast<std::size_t>(last - first) + 1, TextSizes::kNoText);
    range_.bind(1, first).bind(2, last);
    while (TRY(range_.step()))
      known_.words[static_cast<std::size_t>(range_.integer(0) - first)] =
          static_cast<std::uint32_t>(decode(range_.blob(1)));
    range_.reset();
    if (memory_ != nullptr && known_.words.size() <= kMostKept) memory_->sizes = known_;
    return {};
  }

  // Of a row that lies within what is known.
  static Result<double> known_size(const TextSizes& sizes, std::int64_t row) {
    const std::uint32_t size = sizes.words[static_cast<std::size_t>(row - sizes.first)];
    if (size == TextSizes::kNoText) return lost_size();
    return size;
  }

 private:
  static constexpr std::size_t kMostKept = 1'000'000;

  Sizes(Statement one, Statement range, CollectionMemory* memory)
      : one_(std::move(one)), range_(std::move(range)), memory_(memory) {}

  static Error lost_size() {
    return {ErrorKind::corruption, "the word index has lost the size of a text; run `loci verify`"};
  }

  static double decode(std::span<const std::uint8_t> bytes) {
    std::uint64_t size = 0;
    for (const std::uint8_t byte : bytes) {
      size = size << 7 | (byte & 0x7F);
      if (byte < 0x80) break;
    }
    return static_cast<double>(size);
  }

  Statement one_;
  Statement range_;
  CollectionMemory* memory_;
  TextSizes known_;
};

// When do the sizes that were asked for one by one say that nearly all will be? Then those of all candidates are read
// at once, if the candidates lie close together.
class ReadAhead {
 public:
  explicit ReadAhead(const std::vector<Candidate>& by_row) {
    if (by_row.size() < 2 * kFewest) return;
    first_ = by_row.front().row;
    last_ = by_row.back().row;
    const bool is_dense = static_cast<std::size_t>(last_ - first_) / kShare < by_row.size();
    if (is_dense) asked_until_ = std::max(kFewest, by_row.size() / kShare);
  }

  Status note_asked(Sizes& sizes) {
    if (++asked_ != asked_until_) return {};
    return sizes.read_range(first_, last_);
  }

 private:
  static constexpr std::size_t kFewest = 32;
  static constexpr std::size_t kShare = 8;

  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::size_t asked_until_ = 0;  // 0: never
  std::size_t asked_ = 0;
};

bool is_better(const RankedRow& a, const RankedRow& b) {
  if (a.value != b.value) return a.value > b.value;
  return a.row < b.row;
}

// The best rows so far.
class Best {
 public:
  explicit Best(std::size_t size) : size_(size) {}

  // Is there no room for a row whose score is at most this?
  bool excludes(double most) const { return size_ == 0 || (rows_.size() == size_ && most < rows_.front().value); }

  void offer(const RankedRow& ranked) {
    if (rows_.size() == size_) {
      if (size_ == 0 || !is_better(ranked, rows_.front())) return;
      std::pop_heap(rows_.begin(), rows_.end(), is_better);
      rows_.pop_back();
    }
    rows_.push_back(ranked);
    std::push_heap(rows_.begin(), rows_.end(), is_better);
  }

  std::vector<RankedRow> sorted() && {
    std::sort_heap(rows_.begin(), rows_.end(), is_better);
    return std::move(rows_);
  }

 private:
  std::size_t size_;
  std::vector<RankedRow> rows_;  // a heap whose top is the worst
};

// Looks at candidates in the order of what they can score at most.
Result<std::vector<RankedRow>> best_rows(Candidates& candidates, const Scorer& scorer, Sizes sizes,
                                         std::size_t n_results) {
  const auto can_less = [](const Candidate& a, const Candidate& b) { return a.most < b.most; };
  std::vector<Candidate>& left = candidates.rows();
  ReadAhead read_ahead(left);
  std::make_heap(left.begin(), left.end(), can_less);
  Best best(n_results);
  while (!left.empty() && !best.excludes(left.front().most)) {
    std::pop_heap(left.begin(), left.end(), can_less);
    const Candidate next = left.back();
    left.pop_back();
    const double size = TRY(sizes.of(next.row));
    TRY(read_ahead.note_asked(sizes));
    best.offer({next.row, scorer.share(candidates.counts(next), size)});
  }
  return std::move(best).sorted();
}

// Where no size has to be read, a score costs less than putting candidates into an order.
Result<std::vector<RankedRow>> best_of_known_sizes(Candidates& candidates, const Scorer& scorer, const TextSizes& sizes,
                                                   std::size_t n_results) {
  Best best(n_results);
  for (const Candidate& next : candidates.rows()) {
    if (best.excludes(next.most)) continue;
    const double size = TRY(Sizes::known_size(sizes, next.row));
    best.offer({next.row, scorer.share(candidates.counts(next), size)});
  }
  return std::move(best).sorted();
}

}  // namespace

Result<std::vector<RankedRow>> matching_rows(Connection& connection, std::int64_t collection, std::string_view text,
                                             std::size_t n_results, const std::vector<std::int64_t>* among) {
  const std::vector<std::string> terms = query_terms(text);
  if (terms.empty()) return Error{ErrorKind::invalid_argument, "the query has no word to look for"};
  const Postings postings = TRY(read_postings(connection, collection, terms));
  const Scorer scorer(postings);
  Candidates candidates(postings, scorer, AllowedRows(among));
  if (candidates.rows().empty()) return std::vector<RankedRow>();
  CollectionMemory* const memory = SnapshotMemory::of(connection, collection);
  if (memory != nullptr && memory->sizes.has(candidates.rows().front().row, candidates.rows().back().row))
    return best_of_known_sizes(candidates, scorer, memory->sizes, n_results);
  Sizes sizes = TRY(Sizes::open(connection, collection, memory));
  return best_rows(candidates, scorer, std::move(sizes), n_results);
}

}  // namespace loci::embedded
