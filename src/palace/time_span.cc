#include "palace/time_span.h"

#include <charconv>
#include <optional>
#include <string>

#include "base/clock.h"

namespace loci {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr int kMostAgo = 100'000;  // in any unit; no palace is older

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

TimeSpan day_of(std::int64_t unix_ms) {
  const std::int64_t days = unix_ms / kDayMs - (unix_ms % kDayMs < 0 ? 1 : 0);
  return {days * kDayMs, (days + 1) * kDayMs};
}

std::optional<std::int64_t> first_day(int year, int month) {
  std::string text = std::to_string(year);
  text.insert(0, 4 - text.size(), '0');
  return from_iso8601(text + (month < 10 ? "-0" : "-") + std::to_string(month) + "-01");
}

std::optional<TimeSpan> span_between(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
  if (!start || !end) return std::nullopt;
  return TimeSpan{*start, *end};
}

// "2026" or "2026-03".
std::optional<TimeSpan> year_or_month(std::string_view text) {
  constexpr int kLastYear = 9998;  // the next one must exist
  const bool has_month = text.size() == 7 && text[4] == '-' && is_number(text.substr(5));
  if (!is_number(text.substr(0, 4)) || (text.size() != 4 && !has_month)) return std::nullopt;
  const int year = std::stoi(std::string(text.substr(0, 4)));
  if (year > kLastYear) return std::nullopt;
  if (!has_month) return span_between(first_day(year, 1), first_day(year + 1, 1));
  const int month = std::stoi(std::string(text.substr(5)));
  if (month < 1 || month > 12) return std::nullopt;
  return span_between(first_day(year, month), month == 12 ? first_day(year + 1, 1) : first_day(year, month + 1));
}

// "3h", "7d", "2w".
std::optional<TimeSpan> so_long_ago(std::string_view text, std::int64_t now_unix_ms) {
  if (text.size() < 2 || !is_number(text.substr(0, text.size() - 1))) return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size() - 1, count);
  if (error != std::errc() || count > kMostAgo) return std::nullopt;
  switch (text.back()) {
    case 'h': return TimeSpan{now_unix_ms - count * kHourMs, now_unix_ms - (count - 1) * kHourMs};
    case 'd': return day_of(now_unix_ms - count * kDayMs);
    case 'w': return day_of(now_unix_ms - count * 7 * kDayMs);
    default: return std::nullopt;
  }
}

}  // namespace

Result<TimeSpan> parse_time_span(std::string_view text, std::int64_t now_unix_ms) {
  if (text == "today") return day_of(now_unix_ms);
  if (text == "yesterday") return day_of(now_unix_ms - kDayMs);
  if (const std::optional<TimeSpan> span = year_or_month(text)) return *span;
  if (const std::optional<TimeSpan> span = so_long_ago(text, now_unix_ms)) return *span;
  if (const std::optional<std::int64_t> moment = from_iso8601(text)) {
    constexpr std::size_t kDateBytes = 10;
    return text.size() == kDateBytes ? day_of(*moment) : TimeSpan{*moment, *moment + 1};
  }
  return Error{ErrorKind::invalid_argument,
               "cannot read the time \"" + std::string(text) +
                   "\"; give a date such as 2026-03-09 or 2026-03, today, yesterday, or how long ago: 3h, 7d, 2w"};
}

}  // namespace loci
