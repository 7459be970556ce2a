#include <algorithm>
#include <vector>

#include "cli/renderers.h"
#include "text/snippet.h"

namespace loci {
namespace {

constexpr std::size_t kListPreviewBytes = 400;

// What the metadata has beyond what is shown anyway.
std::string other_metadata(const Terminal& terminal, const Json& drawer) {
  std::string text;
  for (const auto& [key, value] : drawer.at("metadata").items()) {
    if (key == "wing" || key == "room" || key == "source_file" || key == "filed_at") continue;
    const std::string shown = value.is_string() ? value.get<std::string>() : to_text(value, JsonLayout::one_line);
    text += labelled(terminal, one_line(key), one_line(shown));
  }
  return text;
}

std::string whole_drawer(const Terminal& terminal, const Json& drawer) {
  std::string text = styled(terminal, Style::bold, one_line(text_at(drawer, "id"))) + "\n";
  text += labelled(terminal, "place", place_of(drawer));
  if (const std::string source = text_at(drawer, "source"); !source.empty()) {
    text += labelled(terminal, "source", one_line(source));
  }
  if (const std::string filed = text_at(drawer, "filed_at"); !filed.empty()) {
    text += labelled(terminal, "filed", one_line(filed));
  }
  text += other_metadata(terminal, drawer);
  std::string document = safe_text(terminal, text_at(drawer, "document"));
  if (!document.ends_with('\n')) document += '\n';
  return text + "\n" + document;
}

}  // namespace

std::string render_add(const Terminal&, const Json& answer) { return one_line(text_at(answer, "id")) + "\n"; }

std::string render_get(const Terminal& terminal, const Json& answer) {
  std::string text;
  for (const Json& drawer : answer.at("drawers")) text += (text.empty() ? "" : "\n") + whole_drawer(terminal, drawer);
  return text;
}

std::string render_list(const Terminal& terminal, const Json& answer) {
  const Json& drawers = answer.at("drawers");
  std::size_t id_width = 0;
  std::size_t place_width = 0;
  for (const Json& drawer : drawers) {
    id_width = std::max(id_width, display_width(one_line(text_at(drawer, "id"))));
    place_width = std::max(place_width, display_width(place_of(drawer)));
  }
  // Long ids and names must not push the text off the screen.
  id_width = std::min<std::size_t>(id_width, 36);
  place_width = std::min<std::size_t>(place_width, 30);
  std::string text;
  for (const Json& drawer : drawers) {
    const std::string preview = snippet(text_at(drawer, "document"), {}, kListPreviewBytes);
    const std::size_t left = id_width + place_width + 4;
    const std::string shown =
        terminal.is_terminal ? cut_to_width(preview, terminal.width > left + 10 ? terminal.width - left : 10) : preview;
    // For a program the id is whole, whatever its length.
    const std::string id = one_line(text_at(drawer, "id"));
    text += pad_to_width(id, id_width) + "  " +
            styled(terminal, Style::dim, pad_to_width(cut_to_width(place_of(drawer), place_width), place_width)) +
            "  " + one_line(shown) + "\n";
  }
  const std::size_t total = number_at(answer, "total");
  const std::size_t next = number_at(answer, "offset") + drawers.size();
  if (total == 0) {
    std::string none = "no drawers";
    for (const Json& part : answer.value("degraded", Json::array())) none += "; " + one_line(text_at(part, "reason"));
    return none + "\n";
  }
  if (next < total) {
    text += styled(terminal, Style::dim,
                   counted(drawers.size(), "drawer") + " of " + with_separators(total) + "; --offset " +
                       std::to_string(next) + " goes on") +
            "\n";
  }
  return text;
}

std::string render_update(const Terminal&, const Json& answer) {
  return "updated " + one_line(text_at(answer, "id")) + " in " + place_of(answer) + "\n";
}

std::string render_delete(const Terminal&, const Json& answer) {
  const bool is_dry = answer.at("dry_run").get<bool>();
  return (is_dry ? "would delete " : "deleted ") + counted(number_at(answer, "deleted"), "drawer") + "\n";
}

}  // namespace loci
