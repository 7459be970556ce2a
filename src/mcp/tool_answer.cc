#include "mcp/tool_answer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "mcp/degraded_text.h"
#include "mcp/drawer_text.h"
#include "mcp/protocol.h"
#include "mcp/tool_set.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kAnswerBytes = 24'000;
constexpr std::size_t kListBytes = 8'000;
constexpr std::size_t kLeastListBytes = 500;

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::size_t number_member(const Json& body, std::string_view key) {
  const Json* value = member(body, key);
  return value != nullptr && value->is_number_unsigned() ? value->get<std::size_t>() : 0;
}

DrawerBudget budget_for(std::string_view operation) {
  if (operation != "get") return {};
  return {.all_bytes = 48'000, .one_bytes = 48'000, .structured_bytes = 64'000};
}

// What is not there, not complete, or beyond the limit that the caller gave.
std::string what_lacks(const Json& body, std::size_t found) {
  std::string text;
  if (const Json* missing = member(body, "missing"); missing != nullptr && !missing->empty()) {
    text += "\nNot there: " + to_text(*missing, JsonLayout::one_line);
    if (const std::size_t more = number_member(body, "missing_left_out"); more > 0)
      text += " and " + std::to_string(more) + " more";
  }
  text += degraded_text(body);
  const std::size_t shown = number_member(body, "offset") + found;
  if (const std::size_t total = number_member(body, "total"); total > shown)
    text += "\n" + counted(total - shown, "more drawer") + " left out by the limit.";
  return text;
}

}  // namespace

std::string_view list_of_drawers(const Json& body) {
  for (const std::string_view name : {"hits", "drawers"}) {
    if (const Json* list = member(body, name); list != nullptr && list->is_array()) return name;
  }
  return {};
}

Json drawers_result(std::string_view operation, std::string_view list, Json body) {
  Json drawers = std::exchange(body.at(std::string(list)), Json::array());
  const std::size_t found = drawers.size();
  ShownDrawers shown = show_drawers(std::move(drawers), budget_for(operation));
  shorten_members(body);
  std::string text = "Nothing was found.";
  if (found > 0) text = counted(shown.drawers.size(), "drawer") + ". " + with_notice(shown.text);
  text += what_lacks(body, found);
  body[std::string(list)] = std::move(shown.drawers);
  body["left_out"] = shown.left_out;
  if (found > 0) body["notice"] = kStructuredNotice;
  Json result = text_result(std::move(text));
  result["structuredContent"] = std::move(body);
  return result;
}

Json plain_result(Json body) {
  std::string text;
  for (std::size_t bytes = kListBytes; bytes > kLeastListBytes; bytes /= 2) {
    limit_lists(body, bytes);
    text = to_text(body, JsonLayout::one_line);
    if (text.size() <= kAnswerBytes) break;
  }
  if (text.size() > kAnswerBytes) {
    return text_result(std::string(cut_text(text, kAnswerBytes)) + "\n(" + std::to_string(text.size() - kAnswerBytes) +
                       " more bytes did not fit; ask for less)");
  }
  Json result = text_result(text);
  result["structuredContent"] = std::move(body);
  return result;
}

}  // namespace loci::mcp
