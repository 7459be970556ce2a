// How a project wants to be filed: loci.yaml in its root, or the mempalace.yaml that it has already.
//
//   wing: shop
//   rooms:
//     - name: api
//       description: everything about the interface
//       keywords: [graphql, rest]
//   exclude_patterns: ["*.log", "drafts/"]
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ignore_pattern.h"
#include "loci/result.h"

namespace loci {

struct RoomRule {
  std::string name;
  std::vector<std::string> keywords = {};  // in lower case

  friend bool operator==(const RoomRule&, const RoomRule&) = default;
};

struct ProjectConfig {
  std::optional<std::string> wing = {};
  std::vector<RoomRule> rooms = {};
  std::vector<IgnorePattern> exclude = {};
  std::string text = {};  // the file itself: another text is another recipe
};

// Errors: invalid_argument with the line, for what is no YAML or has a part of another type than expected. Keys that
// are not known are left alone: MemPalace's file has more of them.
Result<ProjectConfig> parse_project_config(std::string_view yaml);

// Is a configuration, or a version control's folder, in this folder?
bool has_project_config(const std::filesystem::path& folder);
bool has_version_control(const std::filesystem::path& folder);

// That of the project's root; an empty one when there is none. Errors: as for parsing, with the file's name.
Result<ProjectConfig> load_project_config(const std::filesystem::path& project_root);

}  // namespace loci
