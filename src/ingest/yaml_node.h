// A YAML document as a tree, as far as configuration needs it: texts, lists and maps. libyaml reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loci/result.h"

namespace loci {

struct YamlNode {
  enum class Kind { text, list, map };
  Kind kind = Kind::text;
  std::size_t line = 0;  // from 1
  std::string text = {};
  std::vector<YamlNode> items = {};                          // of a list
  std::vector<std::pair<std::string, YamlNode>> pairs = {};  // of a map, in the file's order

  // Null when it is no map or has no such key.
  const YamlNode* find(std::string_view key) const;
};

// The first document. An empty text is an empty map. Errors: invalid_argument with the line, for what is no YAML, nests
// too deep or uses anchors.
Result<YamlNode> parse_yaml(std::string_view text);

}  // namespace loci
