#include "store/chroma/segment_name.h"

#include <algorithm>

namespace loci::chroma {
namespace {

constexpr std::string_view kCopyMarks[] = {".drift-", ".corrupt-", ".quarantine-"};
constexpr std::string_view kTimeShape = "xxxxxxxx-xxxxxx";

// Has the text that shape? An x stands for a digit.
template <typename IsDigit>
bool has_shape(std::string_view text, std::string_view shape, const IsDigit& is_digit) {
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(),
                    [&](char c, char x) { return x == 'x' ? is_digit(c) : c == x; });
}

struct CopyName {
  std::string_view segment;
  std::string_view rest;  // behind the mark
};

// The first mark counts: a copy that was renamed again is as old as before.
std::optional<CopyName> parse_copy_name(std::string_view name) {
  std::optional<CopyName> parsed;
  for (const std::string_view mark : kCopyMarks) {
    const std::size_t at = name.find(mark);
    if (at == std::string_view::npos || at == 0 || (parsed && at > parsed->segment.size())) continue;
    parsed = CopyName{name.substr(0, at), name.substr(at + mark.size())};
  }
  return parsed;
}

}  // namespace

bool is_segment_name(std::string_view name) {
  return has_shape(name, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
                   [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

std::optional<std::string_view> segment_of_copy(std::string_view name) {
  const std::optional<CopyName> parsed = parse_copy_name(name);
  if (!parsed) return {};
  return parsed->segment;
}

std::optional<std::string_view> time_of_copy(std::string_view name) {
  const std::optional<CopyName> parsed = parse_copy_name(name);
  if (!parsed) return {};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!has_shape(parsed->rest.substr(0, kTimeShape.size()), kTimeShape, is_digit)) return {};
  return parsed->rest;
}

std::string copy_time(std::time_t seconds) {
  std::tm time{};
  ::localtime_r(&seconds, &time);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &time);
  return {text, length};
}

}  // namespace loci::chroma
