#include "mcp/drawer_text.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "base/utf8.h"
#include "mcp/protocol.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kNameBytes = 200;      // of a name in a heading
constexpr std::size_t kMemberBytes = 2'000;  // of a member of a drawer that is not its text

constexpr std::size_t kInnerShare = 8;  // a list in a list gets this part of its bytes

// What stands in a heading must stay on its line, whatever a file was called.
std::string one_line(std::string_view name, std::size_t bytes = kNameBytes) {
  std::string text(cut_text(name, bytes));
  if (text.size() < name.size()) text += "…";
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

// How many were left out.
std::size_t limit_list(Json& list, std::size_t bytes) {
  const std::size_t all = list.size();
  std::size_t kept = 0;
  std::size_t used = 0;
  for (; kept < all; ++kept) {
    limit_lists(list[kept], bytes / kInnerShare);
    used += text_bytes(list[kept]) + 1;
    if (used > bytes) break;
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
  return all - kept;
}

std::string heading(const Json& drawer) {
  const std::string id = text_member(drawer, "id");
  std::string text = "[" + one_line(id, id.size()) + "] ";  // whole, since it is to be asked for
  text += one_line(text_member(drawer, "wing")) + " / " + one_line(text_member(drawer, "room"));
  if (const std::string source = text_member(drawer, "source"); !source.empty()) text += " | " + one_line(source);
  if (const std::string filed = text_member(drawer, "filed_at"); !filed.empty()) {
    text += " | " + one_line(filed.substr(0, 10));
  }
  return text;
}

}  // namespace

std::string with_notice(std::string_view shown_text) {
  std::string text;
  text.append(kDataNotice).append("\n\n").append(shown_text);
  return text;
}

std::string name_on_a_line(std::string_view name) { return one_line(name); }

std::string_view cut_text(std::string_view text, std::size_t bytes) {
  return text.substr(0, floor_char_boundary(text, std::min(bytes, text.size())));
}

void limit_lists(Json& object, std::size_t bytes) {
  if (!object.is_object()) return;
  Json left_out = Json::object();
  for (auto& [name, value] : object.items()) {
    if (value.is_object()) limit_lists(value, bytes);
    if (!value.is_array()) continue;
    const std::size_t count = limit_list(value, bytes);
    if (count == 0) continue;
    const Json* before = member(object, name + "_left_out");
    left_out[name + "_left_out"] = count + (before != nullptr ? before->get<std::size_t>() : 0);
  }
  object.update(left_out);
}

void shorten_members(Json& object) {
  limit_lists(object, kMemberBytes);
  Json cut = Json::array();
  for (auto& [name, value] : object.items()) {
    if (name == "document" || value.is_array()) continue;
    if (text_bytes(value) <= kMemberBytes) continue;
    value = value.is_string() ? Json(cut_text(value.get_ref<const std::string&>(), kMemberBytes)) : Json();
    cut.push_back(name);
  }
  if (!cut.empty()) object["cut"] = std::move(cut);
}

ShownDrawers show_drawers(Json drawers, const DrawerBudget& budget) {
  ShownDrawers shown = {.text = {}, .drawers = Json::array()};
  const std::string mark = random_hex(4);
  std::size_t structured_bytes = 0;
  for (Json& drawer : drawers) {
    const std::string document = text_member(drawer, "document");
    const std::string before = heading(drawer) + "\n--- " + mark + "\n";
    const std::string after = "\n--- end " + mark + "\n";
    const std::size_t used = shown.text.size() + before.size() + after.size();
    const std::size_t room = budget.all_bytes - std::min(budget.all_bytes, used);
    // A short piece of a long text helps nobody; the first text is shown in any case.
    if (!shown.drawers.empty() && room < std::clamp<std::size_t>(document.size(), 1, 200)) break;
    const std::string_view part = cut_text(document, std::min(budget.one_bytes, room));
    shorten_members(drawer);
    if (part.size() < document.size()) {
      drawer["document"] = part;
      drawer["bytes_left_out"] = document.size() - part.size();
    }
    structured_bytes += text_bytes(drawer) + 1;
    if (!shown.drawers.empty() && structured_bytes > budget.structured_bytes) break;
    shown.text.append(before).append(part).append(after);
    if (part.size() < document.size()) {
      shown.text += "(" + std::to_string(document.size() - part.size()) + " more bytes; get this id for more)\n";
      ++shown.cut;
    }
    shown.drawers.push_back(std::move(drawer));
  }
  shown.left_out = drawers.size() - shown.drawers.size();
  if (shown.left_out > 0) {
    shown.text += "(" + std::to_string(shown.left_out) + " more did not fit; ask for fewer or more exactly)\n";
  }
  return shown;
}

}  // namespace loci::mcp
