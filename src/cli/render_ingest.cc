// The answers of mining, for people.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/renderers.h"

namespace loci {
namespace {

constexpr std::size_t kShownPaths = 20;
constexpr std::size_t kShownRooms = 20;

std::string spoken(std::string reason) {
  std::replace(reason.begin(), reason.end(), '_', ' ');
  return reason;
}

// "12 new, 3 changed".
void append_count(std::string& text, std::size_t count, std::string_view what) {
  if (count == 0) return;
  if (!text.empty()) text += ", ";
  text += with_separators(count) + " " + std::string(what);
}

// "--wing shop --chunk-size 2000": those settings that differ from others, or all that there are.
std::string settings_text(const Json& settings, const Json& others) {
  std::string text;
  for (const auto& [key, option] :
       {std::pair("wing", " --wing "), std::pair("mode", " --mode "), std::pair("chunk_size", " --chunk-size ")}) {
    if (!settings.contains(key) || (others.contains(key) && others.at(key) == settings.at(key))) continue;
    const Json& value = settings.at(key);
    text +=
        option + (value.is_string() ? one_line(value.get<std::string>()) : std::to_string(value.get<std::size_t>()));
  }
  return text;
}

// Where the files belong, and what of it was said in another run.
std::string scope_lines(const Json& answer) {
  std::string text = one_line(text_at(answer, "root"));
  if (answer.at("project") != answer.at("root")) text += ", part of " + one_line(text_at(answer, "project"));
  text += "\n";
  if (const std::string kept = settings_text(answer.at("kept"), Json::object()); !kept.empty())
    text += "as before:" + kept + "\n";
  std::size_t shown = 0;
  for (const Json& part : answer.at("kept_parts")) {
    if (shown++ == kShownPaths) break;
    text += "as before in " + one_line(text_at(part, "path")) + ":" + settings_text(part, answer) + "\n";
  }
  if (shown > kShownPaths) text += "and more\n";
  return text;
}

std::string files_line(const Json& answer) {
  std::string parts;
  append_count(parts, number_at(answer, "added"), "new");
  append_count(parts, number_at(answer, "changed"), "changed");
  append_count(parts, number_at(answer, "renamed"), "renamed");
  append_count(parts, number_at(answer, "unchanged"), "unchanged");
  return counted(number_at(answer, "files"), "file") + (parts.empty() ? "" : ": " + parts) + ", " +
         human_size(number_at(answer, "bytes")) + " read\n";
}

std::string drawers_line(const Json& answer) {
  const Json& drawers = answer.at("drawers");
  const bool is_dry_run = answer.at("dry_run").get<bool>();
  std::string text = counted(number_at(drawers, "stored"), "drawer") +
                     (is_dry_run ? " to be looked at; nothing was stored" : " stored");
  if (is_dry_run) return text + "\n";
  if (number_at(drawers, "stored") == 0) text = "no new drawers";
  for (const auto& [key, what] :
       {std::pair("moved", "moved"), std::pair("removed", "removed"),
        std::pair("held_back", "held back, as you deleted or rewrote them (--restore-deleted)")}) {
    append_count(text, number_at(drawers, key), what);
  }
  return text + "\n";
}

struct RoomLine {
  std::string name;
  std::size_t drawers = 0;
  std::size_t stored = 0;
};

// Those of the wing, the largest first.
std::vector<RoomLine> room_lines(const std::string& wing, const Json& rooms) {
  std::vector<RoomLine> lines;
  for (const Json& room : rooms) {
    if (text_at(room, "wing") != wing) continue;
    const std::size_t stored = number_at(room, "stored");
    lines.push_back({one_line(text_at(room, "room")), std::max(number_at(room, "drawers"), stored), stored});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const RoomLine& a, const RoomLine& b) { return a.drawers > b.drawers; });
  return lines;
}

// Beyond so many the smallest rooms become one line.
void fold_small_rooms(std::vector<RoomLine>& lines) {
  if (lines.size() <= kShownRooms) return;
  RoomLine rest{.name = "and " + counted(lines.size() - kShownRooms, "more room")};
  for (std::size_t i = kShownRooms; i < lines.size(); ++i) {
    rest.drawers += lines[i].drawers;
    rest.stored += lines[i].stored;
  }
  lines.resize(kShownRooms);
  lines.push_back(std::move(rest));
}

std::string rooms_table(const Terminal& terminal, const std::string& wing, const Json& rooms) {
  std::vector<RoomLine> lines = room_lines(wing, rooms);
  if (lines.empty()) return {};
  fold_small_rooms(lines);
  std::size_t name_width = 0;
  std::size_t number_width = 0;
  for (const RoomLine& line : lines) {
    name_width = std::max(name_width, display_width(line.name));
    number_width = std::max(number_width, with_separators(line.drawers).size());
  }
  std::string text = "\n  " + styled(terminal, Style::bold, one_line(wing)) + "\n";
  for (const RoomLine& line : lines) {
    const std::string number = with_separators(line.drawers);
    text += "    " + pad_to_width(line.name, name_width) + std::string(2 + number_width - number.size(), ' ') + number;
    if (line.stored > 0 && line.stored < line.drawers) text += "  +" + with_separators(line.stored);
    text += "\n";
  }
  return text;
}

// The wing of what was named first.
std::string wings_tables(const Terminal& terminal, const Json& answer) {
  const std::string main = text_at(answer, "wing");
  std::string text = rooms_table(terminal, main, answer.at("rooms"));
  std::set<std::string> others;
  for (const Json& room : answer.at("rooms")) others.insert(text_at(room, "wing"));
  others.erase(main);
  for (const std::string& wing : others) text += rooms_table(terminal, wing, answer.at("rooms"));
  return text;
}

// What a reason that is no problem calls its files.
std::string_view name_of_passed_over(std::string_view reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNames = {
      {{"ignored", "ignored path"},
       {"excluded", "excluded path"},
       {"tool_folder", "tool folder"},
       {"lock_file", "lock file"},
       {"secret", "secret file"},
       {"binary", "binary file"},
       {"minified", "minified file"},
       {"own_store", "Loci file"},
       {"symbolic_link", "symbolic link"}}};
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.first == reason; });
  return found == kNames.end() ? "other" : found->second;
}

std::string passed_over_lines(const Terminal& terminal, const Json& groups) {
  std::string text;
  std::string benign;
  for (const Json& group : groups) {
    const std::string reason = spoken(text_at(group, "reason"));
    if (!group.at("problem").get<bool>()) {
      benign += (benign.empty() ? "" : ", ") +
                counted(number_at(group, "count"), name_of_passed_over(text_at(group, "reason")));
      continue;
    }
    std::size_t shown = 0;
    for (const Json& item : group.at("paths")) {
      if (shown++ == kShownPaths) break;
      const std::string detail = text_at(item, "detail");
      text += styled(terminal, Style::bad, reason) + "  " + one_line(text_at(item, "path")) +
              (detail.empty() ? "" : ": " + one_line(detail)) + "\n";
    }
    if (number_at(group, "count") > kShownPaths)
      text += reason + "  and " + with_separators(number_at(group, "count") - kShownPaths) + " more\n";
  }
  if (!benign.empty()) text += "passed over: " + benign + "\n";
  return text.empty() ? text : "\n" + text;
}

std::string note_lines(const Terminal& terminal, const Json& answer) {
  std::string text;
  for (const Json& file : answer.at("emptied")) {
    text += styled(terminal, Style::bad, "no text any more") + "  " + one_line(text_at(file, "path")) + ": " +
            counted(number_at(file, "drawers"), "drawer") + " removed\n";
  }
  for (const Json& file : answer.at("replaced_nuls")) {
    text += styled(terminal, Style::bad, "NUL characters") + "  " + one_line(text_at(file, "path")) + ": " +
            with_separators(number_at(file, "characters")) + " of them stored as U+FFFD\n";
  }
  return text;
}

std::string sources_lines(const Json& answer, std::string_view count_key, std::string_view list_key,
                          std::string_view what) {
  const std::size_t count = number_at(answer, count_key);
  if (count == 0) return {};
  std::string text = counted(count, "source") + " " + std::string(what) + "\n";
  std::size_t shown = 0;
  for (const Json& name : answer.at(std::string(list_key))) {
    if (shown++ == kShownPaths) break;
    text += "  " + one_line(name.get<std::string>()) + "\n";
  }
  if (count > kShownPaths) text += "  and " + with_separators(count - kShownPaths) + " more\n";
  return text;
}

// What sync asks, and how to answer.
std::string missing_folder_lines(const Terminal& terminal, const Json& answer) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& folder : answer.at("missing_folders")) {
    if (shown++ == kShownPaths) break;
    text += styled(terminal, Style::bad, "missing or empty") + "  " + one_line(text_at(folder, "path")) + ": " +
            counted(number_at(folder, "sources"), "source") + " from there kept\n";
  }
  if (shown == 0) return {};
  if (shown > kShownPaths) text += "and more\n";
  const Json& first = answer.at("missing_folders").front();
  return text + "Is a disk not mounted? If they should go, say so: `loci sync " + one_line(text_at(first, "path")) +
         " --apply --missing-root`\n";
}

std::string unread_lines(const Terminal& terminal, const Json& answer) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& place : answer.at("unread")) {
    if (shown++ == kShownPaths) break;
    text += styled(terminal, Style::bad, "not looked into") + "  " + one_line(text_at(place, "path")) + ": " +
            one_line(text_at(place, "detail")) + "\n";
  }
  if (shown > kShownPaths) text += "and more\n";
  if (const std::size_t kept = number_at(answer, "unjudged"); kept > 0)
    text += counted(kept, "source") + " kept without a look at their files\n";
  return text;
}

std::string lost_line(const Json& answer) {
  const std::size_t gone = number_at(answer, "gone");
  const std::size_t left_out = number_at(answer, "left_out");
  if (gone + left_out == 0) return {};
  std::string text = "\n";
  if (gone > 0) text += counted(gone, "source") + " without a file by now";
  if (left_out > 0) text += (gone > 0 ? ", " : "") + counted(left_out, "source") + " that the rules leave out by now";
  return text + "; `loci sync " + one_line(text_at(answer, "root")) +
         "` lists them, and removes their drawers with --apply\n";
}

std::string_view pending_text(std::string_view when) {
  if (when == "never") return " without a vector: found by words, and by meaning once there is an embedder";
  if (when == "later" || when == "now")
    return " without a vector yet: found by words now, by meaning after `loci embed`";
  return " without a vector yet: found by words now, by meaning as soon as a worker has read them; `loci status` "
         "shows how far it is";
}

}  // namespace

std::string render_mine(const Terminal& terminal, const Json& answer) {
  std::string text = scope_lines(answer) + files_line(answer) + drawers_line(answer);
  text += wings_tables(terminal, answer);
  text += passed_over_lines(terminal, answer.at("passed_over"));
  text += note_lines(terminal, answer);
  for (const Json& pattern : answer.at("unmatched"))
    text +=
        styled(terminal, Style::bad, "nothing matched") + "  --include " + one_line(pattern.get<std::string>()) + "\n";
  text += lost_line(answer);
  if (const std::size_t embedded = number_at(answer, "embedded"); embedded > 0)
    text += counted(embedded, "vector") + " made\n";
  text += embedding_text(answer);
  if (const std::size_t pending = number_at(answer, "pending"); pending > 0) {
    text += "\n" + counted(pending, "drawer") + std::string(pending_text(text_at(answer, "embed"))) + "\n";
  }
  return text;
}

std::string render_sync(const Terminal& terminal, const Json& answer) {
  std::string text = one_line(text_at(answer, "root")) + "\n";
  const std::string in_question = missing_folder_lines(terminal, answer) + unread_lines(terminal, answer);
  if (answer.at("root_is_missing").get<bool>()) return text + in_question;
  text += sources_lines(answer, "gone", "gone_sources", "whose file is gone");
  text += sources_lines(answer, "left_out", "left_out_sources", "that the rules leave out by now");
  const std::size_t kept = number_at(answer, "kept");
  const bool is_unknown = kept + number_at(answer, "gone") + number_at(answer, "left_out") == 0;
  text += is_unknown ? "nothing was mined from here\n" : counted(kept, "source") + " kept\n";
  if (answer.at("applied").get<bool>()) {
    text += counted(number_at(answer, "removed_drawers"), "drawer") + " removed\n";
  } else if (number_at(answer, "gone") + number_at(answer, "left_out") > 0) {
    text += "nothing was removed; --apply does it\n";
  }
  return text + (in_question.empty() ? "" : "\n" + in_question);
}

}  // namespace loci
