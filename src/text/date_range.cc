#include "text/date_range.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include <fmt/format.h>

namespace loci {
namespace {

namespace chrono = std::chrono;

constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};

// A word or a number of the text, in small letters.
struct Piece {
  std::string text;
  int number = -1;         // of digits alone, or digits with "st", "nd", "rd", "th"
  char sign_before = ' ';  // what stands right before it
};

bool is_word_byte(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         static_cast<unsigned char>(byte) >= 0x80;
}

int number_of(std::string_view word) {
  constexpr std::size_t kMostDigits = 4;
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view rest = word.substr(digits);
  const bool is_ordinal = rest == "st" || rest == "nd" || rest == "rd" || rest == "th";
  if (digits == 0 || digits > kMostDigits || !(rest.empty() || is_ordinal)) return -1;
  int value = 0;
  for (const char digit : word.substr(0, digits)) value = value * 10 + (digit - '0');
  return value;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_byte(text[at])) {
      ++at;
      continue;
    }
    Piece piece{.text = {}, .sign_before = at == 0 ? ' ' : text[at - 1]};
    for (; at < text.size() && is_word_byte(text[at]); ++at) {
      const bool is_capital = text[at] >= 'A' && text[at] <= 'Z';
      piece.text += is_capital ? static_cast<char>(text[at] - 'A' + 'a') : text[at];
    }
    piece.number = number_of(piece.text);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::int64_t days_of(chrono::year_month_day date) { return chrono::sys_days(date).time_since_epoch().count(); }

std::optional<DateRange> day_range(int year, int month, int day) {
  const chrono::year_month_day date(chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return DateRange{days_of(date), days_of(date)};
}

DateRange month_range(chrono::year_month month) {
  return {days_of(month / 1), days_of(chrono::year_month_day(month / chrono::last))};
}

DateRange year_range(int year) { return {days_of(chrono::year(year) / 1 / 1), days_of(chrono::year(year) / 12 / 31)}; }

// Finds dates piece by piece; each reading says how many pieces it took, 0 for none.
class DateReader {
 public:
  DateReader(std::vector<Piece> pieces, std::optional<std::int64_t> today)
      : pieces_(std::move(pieces)), today_(today) {}

  std::vector<DateRange> read() {
    for (at_ = 0; at_ < pieces_.size();) at_ += std::max<std::size_t>(1, read_one());
    return std::move(found_);
  }

 private:
  const Piece* piece(std::size_t offset) const {
    return at_ + offset < pieces_.size() ? &pieces_[at_ + offset] : nullptr;
  }
  int number(std::size_t offset) const { return piece(offset) == nullptr ? -1 : piece(offset)->number; }
  bool is_day(std::size_t offset) const { return number(offset) >= 1 && number(offset) <= 31; }
  bool is_year(std::size_t offset) const { return number(offset) >= 1900 && number(offset) <= 2099; }
  bool is_word(std::size_t offset, std::string_view word) const {
    return piece(offset) != nullptr && piece(offset)->text == word;
  }

  // 1 to 12; 0 for another word.
  int month(std::size_t offset) const {
    if (piece(offset) == nullptr) return 0;
    const std::string& word = piece(offset)->text;
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
      if (word == kMonths[i] || word == kMonths[i].substr(0, 3) || (i == 8 && word == "sept"))
        return static_cast<int>(i) + 1;
    }
    return 0;
  }

  std::size_t take(std::optional<DateRange> range, std::size_t count) {
    if (!range) return 0;
    found_.push_back(*range);
    return count;
  }

  std::size_t read_one() {
    if (is_year(0)) return read_year_first();
    if (is_day(0) && month(1) > 0) return read_day_first();
    if (month(0) > 0) return read_month_first();
    return today_ ? read_relative() : 0;
  }

  // 2023-05-08, 2023/05/08, "in 2022".
  std::size_t read_year_first() {
    const bool is_date = piece(2) != nullptr && piece(1)->sign_before == piece(2)->sign_before &&
                         std::string_view("-/.").find(piece(1)->sign_before) != std::string_view::npos;
    if (is_date && number(1) >= 1 && number(1) <= 12 && is_day(2))
      return take(day_range(number(0), number(1), number(2)), 3);
    const bool is_meant = at_ > 0 && (pieces_[at_ - 1].text == "in" || pieces_[at_ - 1].text == "during" ||
                                      pieces_[at_ - 1].text == "of" || pieces_[at_ - 1].text == "year");
    return is_meant ? take(year_range(number(0)), 1) : 0;
  }

  // 8 May 2023, "the 8th of May 2023" without its "of".
  std::size_t read_day_first() { return is_year(2) ? take(day_range(number(2), month(1), number(0)), 3) : 0; }

  // May 8, 2023; May 2023.
  std::size_t read_month_first() {
    if (is_day(1) && is_year(2)) return take(day_range(number(2), month(0), number(1)), 3);
    if (!is_year(1)) return 0;
    return take(month_range(chrono::year(number(1)) / month(0)), 2);
  }

  std::size_t read_relative() {
    const std::int64_t today = *today_;
    if (is_word(0, "today")) return take(DateRange{today, today}, 1);
    if (is_word(0, "yesterday")) return take(DateRange{today - 1, today - 1}, 1);
    if (is_word(0, "last") || is_word(0, "this")) return read_last(is_word(0, "last") ? 1 : 0);
    const int count = is_word(0, "a") || is_word(0, "one") ? 1 : number(0);
    if (count >= 0 && is_word(2, "ago")) return read_ago(count);
    return 0;
  }

  // "last week", "this month", "last Friday"; `back` is 1 for "last".
  std::size_t read_last(int back) {
    const std::int64_t today = *today_;
    const chrono::sys_days date{chrono::days(today)};
    const auto weekday = static_cast<std::int64_t>(chrono::weekday(date).c_encoding());
    const chrono::year_month_day civil(date);
    if (is_word(1, "week")) {
      const std::int64_t monday = today - (weekday + 6) % 7 - 7 * back;
      return take(DateRange{monday, monday + 6}, 2);
    }
    if (is_word(1, "month")) {
      return take(month_range(chrono::year_month(civil.year(), civil.month()) - chrono::months(back)), 2);
    }
    if (is_word(1, "year")) return take(year_range(static_cast<int>(civil.year()) - back), 2);
    for (std::size_t i = 0; i < kWeekdays.size(); ++i) {
      if (!is_word(1, kWeekdays[i])) continue;
      const std::int64_t ago = (weekday - static_cast<std::int64_t>(i) + 7) % 7;
      const std::int64_t day = today - (ago == 0 ? 7 * back : ago);
      return take(DateRange{day, day}, 2);
    }
    return 0;
  }

  // "3 weeks ago": about then, give or take half of the unit.
  std::size_t read_ago(int count) {
    struct Unit {
      std::string_view name;
      std::int64_t days;
    };
    static constexpr std::array<Unit, 4> kUnits = {{{"day", 1}, {"week", 7}, {"month", 30}, {"year", 365}}};
    for (const Unit& unit : kUnits) {
      if (!is_word(1, unit.name) && !is_word(1, std::string(unit.name) + "s")) continue;
      const std::int64_t day = *today_ - count * unit.days;
      return take(DateRange{day - unit.days / 2, day + unit.days / 2}, 3);
    }
    return 0;
  }

  const std::vector<Piece> pieces_;
  const std::optional<std::int64_t> today_;
  std::size_t at_ = 0;
  std::vector<DateRange> found_;
};

// Minutes from midnight: "1:56 pm", "02:21".
std::optional<int> time_of_day(std::string_view text) {
  const std::vector<Piece> pieces = pieces_of(text);
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    int hour = pieces[i].number;
    const int minute = pieces[i + 1].number;
    if (pieces[i + 1].sign_before != ':' || hour < 0 || hour > 23 || minute < 0 || minute > 59) continue;
    const std::string_view half = i + 2 < pieces.size() ? std::string_view(pieces[i + 2].text) : std::string_view();
    if (half == "pm" && hour < 12) hour += 12;
    if (half == "am" && hour == 12) hour = 0;
    return hour * 60 + minute;
  }
  return std::nullopt;
}

}  // namespace

std::vector<DateRange> dates_in(std::string_view text, std::optional<std::int64_t> today) {
  return DateReader(pieces_of(text), today).read();
}

std::optional<std::int64_t> day_of(std::string_view iso) {
  constexpr std::size_t kDateLength = 10;
  const std::vector<DateRange> dates = dates_in(iso.substr(0, kDateLength));
  if (dates.size() != 1 || dates.front().first_day != dates.front().last_day) return std::nullopt;
  return dates.front().first_day;
}

std::string to_date(std::int64_t day) {
  const chrono::year_month_day date{chrono::sys_days(chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::optional<std::string> written_time(std::string_view text) {
  for (const DateRange& range : dates_in(text)) {
    if (range.first_day != range.last_day) continue;
    const std::optional<int> minutes = time_of_day(text);
    if (!minutes) return to_date(range.first_day);
    return to_date(range.first_day) + fmt::format("T{:02}:{:02}:00Z", *minutes / 60, *minutes % 60);
  }
  return std::nullopt;
}

}  // namespace loci
