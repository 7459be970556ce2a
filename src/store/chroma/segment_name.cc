#include "store/chroma/segment_name.h"

namespace loci::chroma {
namespace {

constexpr std::string_view kCopyMarks[] = {".drift-", ".corrupt-", ".quarantine-"};

}  // namespace

bool is_segment_name(std::string_view name) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (name.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (kShape[i] == '-' ? c != '-' : !is_digit) return false;
  }
  return true;
}

std::optional<std::string_view> segment_of_copy(std::string_view name) {
  for (const std::string_view mark : kCopyMarks) {
    if (const std::size_t at = name.find(mark); at != std::string_view::npos && at > 0) return name.substr(0, at);
  }
  return {};
}

}  // namespace loci::chroma
