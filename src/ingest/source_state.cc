#include "ingest/source_state.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace loci {
namespace {

constexpr std::string_view kFormat = "1";
constexpr std::string_view kAskedFor = " asked_for";
constexpr std::int64_t kTickMs = 20;  // longer than the tick of any clock that file systems use here

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string to_text(const SourceState& state) {
  const FileStamp& stamp = state.stamp;
  std::string text = fmt::format("{} {} {} {} {} {} {}", kFormat, stamp.size_bytes, stamp.modified_ns, stamp.changed_ns,
                                 stamp.inode, state.recipe, state.content_hash);
  if (state.passed_over) text.append(" ").append(to_string(*state.passed_over));
  if (state.is_asked_for) text.append(kAskedFor);
  return text;
}

std::optional<SourceState> parse_source_state(std::string_view text) {
  const bool is_asked_for = text.ends_with(kAskedFor);
  if (is_asked_for) text.remove_suffix(kAskedFor.size());
  std::array<std::string_view, 7> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = i + 1 == parts.size() ? text.size() : text.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    parts[i] = text.substr(0, end);
    text.remove_prefix(i + 1 == parts.size() ? end : end + 1);
  }
  const std::size_t end_of_hash = std::min(parts[6].find(' '), parts[6].size());
  SourceState state{
      .stamp = {}, .recipe = std::string(parts[5]), .content_hash = std::string(parts[6].substr(0, end_of_hash))};
  state.is_asked_for = is_asked_for;
  if (end_of_hash < parts[6].size()) {
    state.passed_over = parse_pass_reason(parts[6].substr(end_of_hash + 1));
    if (!state.passed_over) return std::nullopt;
  }
  const bool is_read = parts[0] == kFormat && parse_number(parts[1], state.stamp.size_bytes) &&
                       parse_number(parts[2], state.stamp.modified_ns) &&
                       parse_number(parts[3], state.stamp.changed_ns) && parse_number(parts[4], state.stamp.inode);
  return is_read ? std::optional(state) : std::nullopt;
}

FileStamp stamp_to_note(FileStamp stamp, std::int64_t now_unix_ms) {
  if (stamp.changed_ns / 1'000'000 > now_unix_ms - kTickMs) stamp.changed_ns = 0;
  return stamp;
}

}  // namespace loci
