#include "text/cut_choice.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <span>

#include "base/count_characters.h"
#include "text/filling.h"
#include "text/lines.h"

namespace loci {
namespace {

// Small, since dense text has a place in every few bytes.
struct Place {
  std::uint32_t byte;
  std::uint32_t character;
};
static_assert(kMostTextBytes <= std::numeric_limits<std::uint32_t>::max());

std::uint32_t as_position(std::size_t value) { return static_cast<std::uint32_t>(value); }

// What decides between places of the same rank: made from the text that follows, so that it stays when the text moves.
template <std::size_t kSize>
std::uint64_t key_of(std::string_view text, std::size_t at) {
  std::array<char, kSize> bytes{};
  const std::string_view after = text.substr(at, kSize);
  std::memcpy(bytes.data(), after.data(), after.size());
  std::uint64_t key = after.size();
  for (std::size_t offset = 0; offset < kSize; offset += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    key = (key ^ word) * 0x9E3779B97F4A7C15U;
    key ^= key >> 29;
  }
  return key;
}

// Gives the breaks of some ranks, piece after piece.
class BreaksOf {
 public:
  BreaksOf(const Outline& outline, std::size_t first_rank, std::size_t end_rank)
      : next_(outline.breaks().begin()), end_(outline.breaks().end()), first_rank_(first_rank), end_rank_(end_rank) {}

  // Those inside the piece. Pieces come in order.
  void operator()(Place start, Place end, Positions& positions) {
    next_ = std::partition_point(next_, end_, [&](const Break& one) { return one.byte <= start.byte; });
    for (; next_ != end_ && next_->byte < end.byte; ++next_) {
      if (next_->rank >= first_rank_ && next_->rank < end_rank_) positions.push_back(next_->byte);
    }
  }

 private:
  std::deque<Break>::const_iterator next_;
  std::deque<Break>::const_iterator end_;
  std::size_t first_rank_;
  std::size_t end_rank_;
};

class CutChooser {
 public:
  CutChooser(std::string_view text, std::size_t target)
      : text_(text),
        target_(std::max<std::size_t>(target, 16)),
        least_(target_ / 2),
        shortest_(target_ / 8),
        most_(target_ + least_) {
    cuts_ = {{0, 0}, {as_position(text.size()), as_position(count_characters(text))}};
  }

  void cut_at_ranks(const Outline& outline) {
    if (whole() <= least_ * 2) return;
    const OutlineForm& form = outline.form();
    for (std::size_t rank = 0; rank < form.inner_ranks; ++rank)
      cut_among(BreaksOf(outline, rank, rank + 1), rank < form.eager_ranks ? 0 : most_);
    set_apart(BreaksOf(outline, 0, form.inner_ranks));
    for (std::size_t rank = form.inner_ranks; rank < kRanks; ++rank)
      cut_among(BreaksOf(outline, rank, rank + 1), most_);
  }

  void cut_by(Filler filler) {
    const auto fill = [this, filler, terminator = line_terminator(text_)](Place start, Place end,
                                                                          Positions& positions) {
      filler({text_, start.byte, end.byte, terminator}, positions);
    };
    cut_among(fill, most_);
  }

  void cut_between_characters() {
    next_cuts_.clear();
    for (std::size_t gap = 0; gap + 1 < cuts_.size(); ++gap) {
      next_cuts_.push_back(cuts_[gap]);
      while (cuts_[gap + 1].character - next_cuts_.back().character > most_) {
        next_cuts_.push_back(character_cut(next_cuts_.back(), cuts_[gap + 1]));
      }
    }
    next_cuts_.push_back(cuts_.back());
    cuts_.swap(next_cuts_);
  }

  std::vector<std::size_t> cuts() const {
    std::vector<std::size_t> bytes;
    bytes.reserve(cuts_.size());
    for (const Place& cut : cuts_) bytes.push_back(cut.byte);
    if (text_.empty()) bytes.pop_back();
    return bytes;
  }

 private:
  std::size_t whole() const { return cuts_.back().character; }
  std::size_t length(std::size_t gap) const { return cuts_[gap + 1].character - cuts_[gap].character; }
  bool has_longer(std::size_t limit) const {
    for (std::size_t gap = 0; gap + 1 < cuts_.size(); ++gap) {
      if (length(gap) > limit) return true;
    }
    return false;
  }

  Place advance(Place from, std::size_t byte) const {
    const std::size_t characters = count_characters(text_.substr(from.byte, byte - from.byte));
    return {as_position(byte), from.character + as_position(characters)};
  }

  // The places in a piece, as `find` finds their bytes, in order.
  template <typename Find>
  std::span<const Place> places_in(std::size_t gap, Find& find) {
    find(cuts_[gap], cuts_[gap + 1], positions_);
    places_.clear();
    places_.reserve(positions_.size());
    Place place = cuts_[gap];
    for (const std::uint32_t position : positions_) places_.push_back(place = advance(place, position));
    positions_.clear();
    return places_;
  }

  // Divides every piece that is longer than the limit at the best of its places.
  template <typename Find>
  void cut_among(Find find, std::size_t limit) {
    if (!has_longer(limit)) return;
    next_cuts_.clear();
    for (std::size_t gap = 0; gap + 1 < cuts_.size(); ++gap) {
      next_cuts_.push_back(cuts_[gap]);
      if (length(gap) <= limit) continue;
      const std::size_t from = cuts_[gap].character + least_;
      const std::size_t to = cuts_[gap + 1].character;
      std::span<const Place> places = places_in(gap, find);
      while (!places.empty() && places.front().character < from) places = places.subspan(1);
      while (!places.empty() && places.back().character + least_ > to) places = places.first(places.size() - 1);
      if (!places.empty()) divide(places, cuts_[gap + 1]);
    }
    next_cuts_.push_back(cuts_.back());
    cuts_.swap(next_cuts_);
  }

  // In a piece that is too long, the places that are left lie near its ends. If what is between them is short enough to
  // be kept whole, cuts them off, short as they are.
  template <typename Find>
  void set_apart(Find find) {
    if (!has_longer(most_)) return;
    next_cuts_.clear();
    for (std::size_t gap = 0; gap + 1 < cuts_.size(); ++gap) {
      const Place start = cuts_[gap];
      const Place end = cuts_[gap + 1];
      next_cuts_.push_back(start);
      if (length(gap) <= most_) continue;
      const std::span<const Place> places = places_in(gap, find);
      const Place head = last_before(places, start.character + least_, start);
      const Place tail = first_after(places, end.character - least_, end);
      const bool has_head = head.character >= start.character + shortest_;
      const bool has_tail = tail.character + shortest_ <= end.character;
      if (has_head && end.character - head.character <= most_) {
        next_cuts_.push_back(head);
      } else if (has_tail && tail.character - start.character <= most_) {
        next_cuts_.push_back(tail);
      } else if (has_head && has_tail && tail.character - head.character <= most_) {
        next_cuts_.push_back(head);
        next_cuts_.push_back(tail);
      }
    }
    next_cuts_.push_back(cuts_.back());
    cuts_.swap(next_cuts_);
  }

  static Place last_before(std::span<const Place> places, std::size_t character, Place otherwise) {
    const auto after = std::partition_point(places.begin(), places.end(),
                                            [&](const Place& place) { return place.character < character; });
    return after == places.begin() ? otherwise : *(after - 1);
  }

  static Place first_after(std::span<const Place> places, std::size_t character, Place otherwise) {
    const auto found = std::partition_point(places.begin(), places.end(),
                                            [&](const Place& place) { return place.character <= character; });
    return found == places.end() ? otherwise : *found;
  }

  // Appends cuts for the piece from the last cut to `end`.
  void divide(std::span<const Place> places, Place end) {
    keys_.clear();
    keys_.reserve(places.size());
    for (const Place& place : places) keys_.push_back(key_of<64>(text_, place.byte));
    std::size_t begin = 0;
    for (std::size_t at = 0; at < places.size(); ++at) {
      if (!is_greatest_around(places, at)) continue;
      walk(places, begin, at, places[at]);
      next_cuts_.push_back(places[at]);
      begin = at + 1;
    }
    walk(places, begin, places.size(), end);
  }

  // Looks outwards on both sides at once: the sum of all looks is then small even for keys in order.
  bool is_greatest_around(std::span<const Place> places, std::size_t at) const {
    std::size_t left = at;
    std::size_t right = at;
    for (bool go_left = true, go_right = true; go_left || go_right;) {
      if (go_left) {
        go_left = left > 0 && places[at].character - places[left - 1].character < least_;
        if (go_left && keys_[--left] >= keys_[at]) return false;
      }
      if (go_right) {
        go_right = right + 1 < places.size() && places[right + 1].character - places[at].character < least_;
        if (go_right && keys_[++right] >= keys_[at]) return false;
      }
    }
    return true;
  }

  // Appends cuts at places [begin, stop) until what is left before `end` is short enough.
  void walk(std::span<const Place> places, std::size_t begin, std::size_t stop, Place end) {
    while (end.character - next_cuts_.back().character > most_) {
      const std::size_t from = next_cuts_.back().character;
      while (begin < stop && places[begin].character < from + least_) ++begin;
      std::size_t best = stop;
      for (std::size_t at = begin; at < stop; ++at) {
        const std::size_t character = places[at].character;
        if (character + least_ > end.character) break;
        if (character > from + most_ && best != stop) break;
        const bool wins =
            best == stop || keys_[at] > keys_[best] || (keys_[at] == keys_[best] && character <= from + target_);
        if (wins) best = at;
        if (character > from + most_) break;  // none within reach: the next one, and weaker ranks fill in
      }
      if (best == stop) return;
      next_cuts_.push_back(places[best]);
      begin = best + 1;
    }
  }

  // The cut after `from` in a piece without any structure.
  Place character_cut(Place from, Place end) const {
    const std::size_t first = from.character + least_;
    const std::size_t last = std::min(from.character + most_, end.character - least_);
    Place place = from;
    Place best{0, 0};
    Place middle = end;
    std::uint64_t best_key = 0;
    while (place.character < last) {
      do ++place.byte;
      while (place.byte < text_.size() && (static_cast<unsigned char>(text_[place.byte]) & 0xC0U) == 0x80U);
      ++place.character;
      if (place.byte >= end.byte) break;
      if (place.character < first) continue;
      if (place.character <= from.character + target_) middle = place;
      const std::uint64_t key = key_of<16>(text_, place.byte);
      const bool wins =
          best.byte == 0 || key > best_key || (key == best_key && place.character <= from.character + target_);
      if (wins && is_between_characters(text_, place.byte)) {
        best = place;
        best_key = key;
      }
    }
    return best.byte == 0 ? middle : best;
  }

  std::string_view text_;
  std::size_t target_;
  std::size_t least_;     // between two cuts
  std::size_t shortest_;  // before or after what is kept whole
  std::size_t most_;
  std::vector<Place> cuts_;
  std::vector<Place> next_cuts_;
  Positions positions_;        // of one piece
  std::vector<Place> places_;  // beside them
  std::vector<std::uint64_t> keys_;
};

}  // namespace

std::vector<std::size_t> choose_cuts(std::string_view text, const Outline& outline, std::size_t target_characters) {
  CutChooser chooser(text, target_characters);
  chooser.cut_at_ranks(outline);
  chooser.cut_by(fill_paragraphs);
  if (outline.form().filling == Filling::prose) chooser.cut_by(fill_sentences);
  chooser.cut_by(fill_lines);
  chooser.cut_by(fill_words);
  chooser.cut_between_characters();
  return chooser.cuts();
}

}  // namespace loci
