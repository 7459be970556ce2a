// One line of a .gitignore file, with the meaning that git gives it. Pure; any thread may use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loci {

enum class EntryKind { file, folder };

struct IgnorePattern {
  std::string glob;           // without the marks around it
  bool is_negated = false;    // "!…": what matches is taken again
  bool folders_only = false;  // "…/"
  bool is_anchored = false;  // has a slash: matches the path from the file's folder on; otherwise the name at any depth

  // Nothing for an empty line, a comment, and what can never match.
  static std::optional<IgnorePattern> parse(std::string_view line);

  // `path` is relative to the folder of the file, without a slash at either end.
  bool matches(std::string_view path, EntryKind kind) const;
};

// Does the glob match all of the text? `*`, `?` and `[…]` match no slash, `**` between slashes any number of folders; a
// backslash takes away what is special about the next character. By bytes, as git does it.
bool glob_matches(std::string_view glob, std::string_view path);

}  // namespace loci
