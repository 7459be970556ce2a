#include "ingest/room.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ingest/drawer_keys.h"
#include "text/place_name.h"

namespace loci {
namespace {

constexpr std::size_t kHeadBytes = 2'000;  // what a file is about shows at its beginning
constexpr int kEnoughHits = 3;             // words of a topic before a file is said to be about it

struct Named {
  std::string_view room;
  std::string_view names;  // with a space before and behind each
};

// Folders that say how a project is built rather than what is in them: the next one counts.
constexpr std::string_view kContainers =
    " src source sources lib libs app apps packages pkg internal cmd include crates modules main java kotlin python "
    "com "
    "org net io public code notes vault ";

// Folders that go by many names.
constexpr std::array kFolderRooms = {
    Named{"documentation", " doc docs documentation manual manuals wiki guides guide rfc rfcs adr adrs "},
    Named{"testing", " test tests testing spec specs e2e __tests__ fixtures testdata "},
    Named{"configuration", " config configs configuration conf settings etc .config .github .gitlab ci deploy "},
    Named{"scripts", " script scripts tools tool bin hack "},
    Named{"benchmarks", " bench benches benchmark benchmarks perf "},
    Named{"examples", " example examples demo demos samples sample "},
    Named{"journal", " journal diary daily dailies log logs "},
    Named{"meetings", " meeting meetings minutes "},
};

// Names of files that say enough.
constexpr std::array kFileRooms = {
    Named{"documentation",
          " readme changelog changes history contributing license copying authors notice security architecture "
          "code_of_conduct install news "},
    Named{"configuration",
          " makefile dockerfile containerfile cmakelists package tsconfig pyproject setup cargo gemfile rakefile "
          "procfile justfile docker_compose compose jest_config webpack_config vite_config eslintrc prettierrc "
          "editorconfig gitignore gitattributes dockerignore clang_format clang_tidy requirements "},
};

// What prose talks about, by telling words.
constexpr std::array kTopics = {
    Named{"meetings", " meeting attendees agenda minutes attended participants "},
    Named{"decisions", " decided decision decisions rationale alternatives trade-off tradeoff rejected "},
    Named{"planning", " roadmap milestone milestones backlog sprint todo deadline plan planned estimate "},
    Named{"problems", " bug crash error failure incident outage regression workaround postmortem "},
    Named{"architecture", " architecture component components interface layer module database schema design "},
};

template <std::size_t kSize>
std::optional<std::string_view> room_named(const std::array<Named, kSize>& rooms, std::string_view name) {
  const std::string word = " " + std::string(name) + " ";
  for (const Named& room : rooms) {
    if (room.names.find(word) != std::string_view::npos) return room.room;
  }
  return std::nullopt;
}

bool is_container(std::string_view name) {
  return kContainers.find(" " + std::string(name) + " ") != std::string_view::npos;
}

// "2026", "01", "2026-01-03": folders and files by date.
bool is_date(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789-_. ") == std::string_view::npos;
}

std::string_view stem_of(std::string_view name) {
  const std::size_t dot = name.find('.', 1);
  return name.substr(0, dot);
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// The words of the beginning of the text, in lower case.
std::vector<std::string> words_of_head(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text.substr(0, kHeadBytes)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    if ((lower >= 'a' && lower <= 'z') || lower == '-' || static_cast<unsigned char>(lower) >= 0x80) {
      word += lower;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

// Does a part of the path name the room: all of it, one of its words, or a keyword?
bool part_names_room(const std::string& part, const RoomRule& rule) {
  const std::string words = "_" + place_name_from(part) + "_";
  const auto has = [&](std::string_view name) {
    const std::string wanted = place_name_from(name);
    return !wanted.empty() && words.find("_" + wanted + "_") != std::string::npos;
  };
  return has(rule.name) || std::any_of(rule.keywords.begin(), rule.keywords.end(), has);
}

std::optional<std::string> room_by_rules(const std::vector<std::string>& parts, std::string_view text,
                                         const std::vector<RoomRule>& rules) {
  for (const std::string& part : parts) {
    for (const RoomRule& rule : rules) {
      if (part_names_room(part, rule)) return rule.name;
    }
  }
  const RoomRule* best = nullptr;
  std::ptrdiff_t best_hits = 0;
  const std::vector<std::string> words = words_of_head(text);
  for (const RoomRule& rule : rules) {
    const auto is_telling = [&](const std::string& word) {
      return std::find(rule.keywords.begin(), rule.keywords.end(), word) != rule.keywords.end();
    };
    const std::ptrdiff_t hits = std::count_if(words.begin(), words.end(), is_telling);
    if (hits > best_hits) {
      best = &rule;
      best_hits = hits;
    }
  }
  if (best == nullptr) return std::nullopt;
  return best->name;
}

std::optional<std::string> room_by_folder(const std::vector<std::string>& parts) {
  std::optional<std::string> container;
  bool has_date = false;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    std::string lower = parts[i];
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    if (const auto known = room_named(kFolderRooms, lower)) return std::string(*known);
    const std::string name = place_name_from(parts[i]);
    if (is_date(parts[i])) {
      has_date = true;
    } else if (is_container(lower)) {
      if (!container && !name.empty()) container = name;
    } else if (!name.empty()) {
      return name;
    }
  }
  if (has_date) return "journal";
  return container;
}

std::optional<std::string> room_by_name(const std::string& file_name) {
  const std::string_view stem = stem_of(file_name);
  if (is_date(stem)) return "journal";
  const auto known = room_named(kFileRooms, place_name_from(stem));
  return known ? std::optional(std::string(*known)) : std::nullopt;
}

std::string room_by_content(std::string_view text) {
  const std::vector<std::string> words = words_of_head(text);
  std::string_view best = kDefaultRoom;
  int best_hits = kEnoughHits - 1;
  for (const Named& topic : kTopics) {
    int hits = 0;
    for (const std::string& word : words) hits += topic.names.find(" " + word + " ") != std::string_view::npos ? 1 : 0;
    if (hits > best_hits) {
      best = topic.room;
      best_hits = hits;
    }
  }
  return std::string(best);
}

}  // namespace

std::string room_for(std::string_view path, std::string_view text, const std::vector<RoomRule>& rules) {
  const std::vector<std::string> parts = parts_of(path);
  if (!rules.empty()) return room_by_rules(parts, text, rules).value_or(std::string(kDefaultRoom));
  if (std::optional<std::string> room = room_by_folder(parts)) return *room;
  if (std::optional<std::string> room = room_by_name(parts.back())) return *room;
  return room_by_content(text);
}

}  // namespace loci
