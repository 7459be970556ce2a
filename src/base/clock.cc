#include "base/clock.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>

namespace loci {
namespace {

constexpr std::int64_t kFirstMs = -62'167'219'200'000;  // 0000-01-01T00:00:00.000Z
constexpr std::int64_t kLastMs = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z

// Walks over the text; each step fails, and stays failed, when the text does not continue as asked.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool next_is(char character) const { return !rest_.empty() && rest_.front() == character; }
  bool next_is_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

  bool skip_one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> digits(std::size_t count) {
    int value = 0;
    for (std::size_t index = 0; index < count; ++index) {
      if (!next_is_digit()) return std::nullopt;
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::sys_days> read_date(Reader& reader) {
  const auto year = reader.digits(4);
  if (!year || !reader.skip_one_of("-")) return std::nullopt;
  const auto month = reader.digits(2);
  if (!month || !reader.skip_one_of("-")) return std::nullopt;
  const auto day = reader.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

// The part after the seconds, as milliseconds; 0 when there is none.
std::optional<int> read_fraction(Reader& reader) {
  if (!reader.skip_one_of(".,")) return 0;
  int milliseconds = 0;
  int count = 0;
  for (; reader.next_is_digit() && count < 9; ++count) {
    const int digit = *reader.digits(1);
    if (count < 3) milliseconds = milliseconds * 10 + digit;
  }
  if (count == 0) return std::nullopt;
  for (; count < 3; ++count) milliseconds *= 10;
  return milliseconds;
}

std::optional<std::int64_t> read_time_of_day_ms(Reader& reader) {
  const auto hour = reader.digits(2);
  if (!hour || *hour > 23 || !reader.skip_one_of(":")) return std::nullopt;
  const auto minute = reader.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  const std::int64_t minutes = *hour * 60 + *minute;
  if (!reader.skip_one_of(":")) return minutes * 60'000;
  const auto second = reader.digits(2);
  if (!second || *second > 60) return std::nullopt;  // 60 is a leap second; it becomes the second after it
  const auto fraction = read_fraction(reader);
  if (!fraction) return std::nullopt;
  return (minutes * 60 + *second) * 1000 + *fraction;
}

std::optional<std::int64_t> read_zone_ms(Reader& reader) {
  if (reader.at_end() || reader.skip_one_of("Zz")) return 0;
  const bool is_west = reader.next_is('-');
  if (!reader.skip_one_of("+-")) return std::nullopt;
  const auto hours = reader.digits(2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  if (!reader.at_end()) {
    reader.skip_one_of(":");
    const auto read_minutes = reader.digits(2);
    if (!read_minutes || *read_minutes > 59) return std::nullopt;
    minutes = *read_minutes;
  }
  const std::int64_t offset_ms = (*hours * 60 + minutes) * std::int64_t{60'000};
  return is_west ? -offset_ms : offset_ms;
}

}  // namespace

std::int64_t now_unix_ms() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

std::string to_iso8601(std::int64_t unix_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds{std::clamp(unix_ms, kFirstMs, kLastMs)}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  char text[64];
  const int length =
      std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                    static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return {text, static_cast<std::size_t>(length)};
}

std::optional<std::int64_t> from_iso8601(std::string_view text) {
  Reader reader(text);
  const auto date = read_date(reader);
  if (!date) return std::nullopt;
  const std::int64_t day_ms = std::chrono::duration_cast<std::chrono::milliseconds>(date->time_since_epoch()).count();
  if (reader.at_end()) return day_ms;
  if (!reader.skip_one_of("Tt ")) return std::nullopt;
  const auto time_ms = read_time_of_day_ms(reader);
  if (!time_ms) return std::nullopt;
  const auto zone_ms = read_zone_ms(reader);
  if (!zone_ms || !reader.at_end()) return std::nullopt;
  return day_ms + *time_ms - *zone_ms;
}

}  // namespace loci
