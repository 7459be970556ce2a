// The ignore files of a folder tree, and what they say together: those nearer to an entry win over those above, and
// within a file the last line that matches wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ignore_pattern.h"

namespace loci {

// The patterns of one text, one a line. A byte order mark is left out.
std::vector<IgnorePattern> parse_ignore_lines(std::string_view text);

// What the patterns say about a path, by the last that matches: true to ignore it, false to take it.
std::optional<bool> verdict_of(const std::vector<IgnorePattern>& patterns, std::string_view path, EntryKind kind);

// The rules in force while a tree is walked: folders are entered and left. For one thread.
class IgnoreRules {
 public:
  // `folder` is relative to the root, empty for the root itself; the texts are its ignore files, the weakest first.
  void enter(std::string_view folder, const std::vector<std::string>& texts);
  void leave() { levels_.pop_back(); }

  // Is the entry ignored? The path is relative to the root. The folders above it are not looked at: whoever walks does
  // not enter what is ignored.
  bool is_ignored(std::string_view path, EntryKind kind) const;

 private:
  struct Level {
    std::size_t prefix_length = 0;                       // of the folder's path and its slash
    std::vector<std::vector<IgnorePattern>> files = {};  // the strongest last
  };
  std::vector<Level> levels_;
};

}  // namespace loci
