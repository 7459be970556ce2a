#include "mcp/pages.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace loci::mcp {
namespace {

constexpr std::size_t kPage = 100;
constexpr std::string_view kCursorLead = "after-";

}  // namespace

Reply page_of(Reply whole, std::string_view key, const Json& params) {
  if (std::holds_alternative<RpcError>(whole)) return whole;
  Json& list = std::get<Json>(whole)[std::string(key)];
  std::size_t begin = 0;
  if (const Json* cursor = member(params, "cursor"); cursor != nullptr && !cursor->is_null()) {
    const std::string text = cursor->is_string() ? cursor->get<std::string>() : std::string();
    const bool is_ours = text.starts_with(kCursorLead);
    const char* digits = text.data() + (is_ours ? kCursorLead.size() : 0);
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(digits, end, begin);
    if (!is_ours || read.ec != std::errc() || read.ptr != end || begin > list.size()) {
      return RpcError{kInvalidParams, "the cursor is not one that this server gave"};
    }
  }
  const std::size_t stop = std::min(list.size(), begin + kPage);
  Json page = Json::array();
  for (std::size_t i = begin; i < stop; ++i) page.push_back(std::move(list[i]));
  Json result = {{std::string(key), std::move(page)}};
  if (stop < list.size()) result["nextCursor"] = std::string(kCursorLead) + std::to_string(stop);
  return result;
}

}  // namespace loci::mcp
