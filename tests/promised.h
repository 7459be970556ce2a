// What LOCI_PROMISED names, such as "chroma,mcp": tests that need one of these fail where it cannot be had, instead of
// being skipped.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace loci {

inline std::vector<std::string> promised() {
  const char* value = std::getenv("LOCI_PROMISED");
  const std::string list = value == nullptr ? "" : value;
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

inline bool is_promised(std::string_view name) {
  const std::vector<std::string> names = promised();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace loci
