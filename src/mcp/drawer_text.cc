#include "mcp/drawer_text.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "base/utf8.h"
#include "mcp/protocol.h"

namespace loci::mcp {
namespace {

// What stands in a heading must stay on its line, whatever a file was called.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

std::string heading(const Json& drawer) {
  std::string text = "[" + one_line(text_member(drawer, "id")) + "] ";
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

std::string_view cut_text(std::string_view text, std::size_t bytes) {
  return text.substr(0, floor_char_boundary(text, std::min(bytes, text.size())));
}

ShownDrawers show_drawers(Json drawers, const DrawerBudget& budget) {
  ShownDrawers shown = {.text = {}, .drawers = Json::array()};
  const std::string mark = random_hex(4);
  std::size_t used = 0;
  for (Json& drawer : drawers) {
    const std::string document = text_member(drawer, "document");
    const std::size_t room = budget.all_bytes - std::min(budget.all_bytes, used);
    // A short piece of a long text helps nobody; the first text is shown in any case.
    if (!shown.drawers.empty() && room < std::min<std::size_t>(document.size(), 200)) break;
    const std::string_view part = cut_text(document, std::min(budget.one_bytes, room));
    used += part.size();
    shown.text.append(heading(drawer)).append("\n--- ").append(mark).append("\n");
    shown.text.append(part).append("\n--- end ").append(mark).append("\n");
    if (part.size() < document.size()) {
      drawer["document"] = part;
      drawer["bytes_left_out"] = document.size() - part.size();
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
