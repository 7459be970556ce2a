#include "text/content_date.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "text/lines.h"

namespace loci {
namespace {

constexpr std::size_t kFirstLines = 10;
constexpr std::size_t kLongestLine = 2000;  // of which dates are looked for

struct Date {
  int year;
  int month;
  int day;
};

constexpr bool is_digit(char character) { return character >= '0' && character <= '9'; }
constexpr char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}
constexpr bool is_letter(char character) {
  return (lower(character) >= 'a' && lower(character) <= 'z') || static_cast<unsigned char>(character) >= 0x80;
}

bool exists(const Date& date) {
  static constexpr std::array<int, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date.year < 1900 || date.year > 2099 || date.month < 1 || date.month > 12 || date.day < 1) return false;
  const bool is_leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
  return date.day <= (date.month == 2 && !is_leap ? 28 : kDays[static_cast<std::size_t>(date.month - 1)]);
}

// Reads a text from left to right; what does not fit leaves it where it was.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool skip(std::string_view any_of) {
    if (at_ >= text_.size() || any_of.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  void skip_spaces() {
    while (skip(" ")) {
    }
  }

  // The number of exactly so many digits here; -1 if there are fewer.
  int digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (at_ + i >= text_.size() || !is_digit(text_[at_ + i])) return -1;
      value = value * 10 + (text_[at_ + i] - '0');
    }
    at_ += count;
    return value;
  }

  int one_or_two_digits() {
    const int two = digits(2);
    return two >= 0 ? two : digits(1);
  }

  // 1 for "January", "Jan" or "jan."; 0 for any other word.
  int month_name() {
    static constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                                 "may",       "june",     "july",     "august",
                                                                 "september", "october",  "november", "december"};
    std::string word;
    for (std::size_t at = at_; at < text_.size() && word.size() < 10 && is_letter(text_[at]); ++at)
      word += lower(text_[at]);
    const auto is_this = [&](std::string_view month) {
      return word == month || word == month.substr(0, 3) || (month == "september" && word == "sept");
    };
    const auto month = std::find_if(kMonths.begin(), kMonths.end(), is_this);
    if (month == kMonths.end()) return 0;
    at_ += word.size();
    skip(".");
    return static_cast<int>(month - kMonths.begin()) + 1;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

using Form = std::optional<Date> (*)(Cursor cursor);

std::optional<Date> whole(Date date, const Cursor& cursor) {
  if (is_digit(cursor.peek()) || !exists(date)) return std::nullopt;
  return date;
}

// 2026-03-09, and the same with / . or _ between.
std::optional<Date> year_first(Cursor cursor) {
  const int year = cursor.digits(4);
  const char separator = cursor.peek();
  if (year < 0 || !cursor.skip("-/._")) return std::nullopt;
  const int month = cursor.digits(2);
  if (month < 0 || !cursor.skip({&separator, 1})) return std::nullopt;
  return whole({year, month, cursor.digits(2)}, cursor);
}

// 20260309
std::optional<Date> compact(Cursor cursor) {
  const int year = cursor.digits(4);
  const int month = cursor.digits(2);
  return whole({year, month, cursor.digits(2)}, cursor);
}

// 09.03.2026
std::optional<Date> day_first(Cursor cursor) {
  const int day = cursor.one_or_two_digits();
  if (!cursor.skip(".")) return std::nullopt;
  const int month = cursor.one_or_two_digits();
  if (!cursor.skip(".")) return std::nullopt;
  return whole({cursor.digits(4), month, day}, cursor);
}

// 9 March 2026, 9th of March stays unknown
std::optional<Date> day_and_name(Cursor cursor) {
  const int day = cursor.one_or_two_digits();
  cursor.skip(".");
  cursor.skip_spaces();
  const int month = cursor.month_name();
  cursor.skip(",");
  cursor.skip_spaces();
  return whole({cursor.digits(4), month, day}, cursor);
}

// March 9, 2026
std::optional<Date> name_and_day(Cursor cursor) {
  const int month = cursor.month_name();
  cursor.skip_spaces();
  const int day = cursor.one_or_two_digits();
  if (!cursor.skip(",") && cursor.peek() != ' ') return std::nullopt;
  cursor.skip_spaces();
  return whole({cursor.digits(4), month, day}, cursor);
}

constexpr std::array<Form, 4> kFormsInText = {year_first, day_first, day_and_name, name_and_day};
constexpr std::array<Form, 5> kFormsInNames = {year_first, compact, day_first, day_and_name, name_and_day};

// The first date in the text: digits or a word that begin one. 1.2026-03-09 is a version, not a date.
template <std::size_t kSize>
std::optional<Date> find_date(std::string_view text, const std::array<Form, kSize>& forms) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool digit = is_digit(text[at]);
    if (!digit && !is_letter(text[at])) continue;
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool begins =
        digit ? !is_digit(before) && (before != '.' || at < 2 || !is_digit(text[at - 2])) : !is_letter(before);
    if (!begins) continue;
    for (const Form form : forms) {
      if (const std::optional<Date> date = form(Cursor(text, at))) return date;
    }
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank_character(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank_character(line.back())) line.remove_suffix(1);
  return line;
}

// True for `date: …`, `created_at = …` and the like.
bool is_date_key(std::string_view line) {
  static constexpr std::array<std::string_view, 9> kKeys = {
      "date", "created", "created_at", "createdat", "published", "pubdate", "datetime", "day", "start"};
  std::string key;
  for (const char character : line) {
    if (character == ':' || character == '=' || character == ' ') break;
    if (character != '"' && character != '\'') key += lower(character);
  }
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::optional<Date> date_in_front_matter(std::string_view text) {
  constexpr std::size_t kMostLines = 200;
  LineReader lines(text);
  if (!lines.next()) return std::nullopt;
  const std::string_view fence = trimmed(lines.line());
  if (fence != "---" && fence != "+++") return std::nullopt;
  std::optional<Date> found;
  for (std::size_t count = 0; count < kMostLines && lines.next(); ++count) {
    const std::string_view line = trimmed(lines.line().substr(0, kLongestLine));
    if (line == fence) return found;
    if (!found && is_date_key(line)) found = find_date(line, kFormsInText);
  }
  return std::nullopt;  // it never ended: a rule, not front matter
}

std::optional<Date> date_in_first_lines(std::string_view text) {
  LineReader lines(text);
  for (std::size_t count = 0; count < kFirstLines && lines.next(); ++count) {
    if (const auto date = find_date(lines.line().substr(0, kLongestLine), kFormsInText)) return date;
  }
  return std::nullopt;
}

ContentDate made(const Date& date, DateSource source) {
  return {fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day), source};
}

}  // namespace

std::string_view to_string(DateSource source) {
  switch (source) {
    case DateSource::file_name: return "file_name";
    case DateSource::front_matter: return "front_matter";
    case DateSource::first_lines: return "first_lines";
  }
  return "file_name";
}

std::optional<ContentDate> content_date(std::string_view file_name, std::string_view text) {
  const std::string_view name = file_name.substr(file_name.rfind('/') + 1);
  if (const auto date = find_date(name, kFormsInNames)) return made(*date, DateSource::file_name);
  if (const auto date = date_in_front_matter(text)) return made(*date, DateSource::front_matter);
  if (const auto date = date_in_first_lines(text)) return made(*date, DateSource::first_lines);
  return std::nullopt;
}

}  // namespace loci
