// The date that a file is about, as its name or its text says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loci {

enum class DateSource { file_name, front_matter, first_lines };

// The name that metadata use: "file_name".
std::string_view to_string(DateSource source);

struct ContentDate {
  std::string date;  // "2026-03-09"
  DateSource source;

  bool operator==(const ContentDate&) const = default;
};

// The date in the file's name, else in its front matter (`date:`, `created:`, …, YAML or TOML), else the first in its
// first ten lines. Only dates that leave no doubt count: 2026-03-09, 2026/03/09, 2026.03.09, 2026_03_09, 20260309 (in
// names), 9 March 2026, March 9, 2026, 09.03.2026; not 03/09/2026. Years from 1900 to 2099, days that exist.
std::optional<ContentDate> content_date(std::string_view file_name, std::string_view text);

}  // namespace loci
