#include "ingest/ignore_rules.h"

#include <algorithm>
#include <utility>

namespace loci {

std::vector<IgnorePattern> parse_ignore_lines(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::vector<IgnorePattern> patterns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<IgnorePattern> pattern = IgnorePattern::parse(text.substr(0, end)))
      patterns.push_back(std::move(*pattern));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return patterns;
}

std::optional<bool> verdict_of(const std::vector<IgnorePattern>& patterns, std::string_view path, EntryKind kind) {
  const auto last = std::find_if(patterns.rbegin(), patterns.rend(),
                                 [&](const IgnorePattern& pattern) { return pattern.matches(path, kind); });
  if (last == patterns.rend()) return std::nullopt;
  return !last->is_negated;
}

void IgnoreRules::enter(std::string_view folder, const std::vector<std::string>& texts) {
  Level& level = levels_.emplace_back();
  level.prefix_length = folder.empty() ? 0 : folder.size() + 1;
  for (const std::string& text : texts) level.files.push_back(parse_ignore_lines(text));
}

bool IgnoreRules::is_ignored(std::string_view path, EntryKind kind) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    for (auto file = level->files.rbegin(); file != level->files.rend(); ++file) {
      if (const std::optional<bool> verdict = verdict_of(*file, path.substr(level->prefix_length), kind))
        return *verdict;
    }
  }
  return false;
}

}  // namespace loci
