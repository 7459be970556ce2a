#include "search/speakers.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "search/drawer_metadata.h"

namespace loci {
namespace {

constexpr std::string_view kBetweenSpeakers = ", ";
constexpr std::size_t kShortestName = 2;

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(kBetweenSpeakers), list.size());
    parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + kBetweenSpeakers.size(), list.size()));
  }
  return parts;
}

// Names are written with a capital letter; a letter of another script counts as one.
bool is_name(std::string_view text) {
  const bool is_small = !text.empty() && (std::islower(static_cast<unsigned char>(text.front())) != 0 ||
                                          std::isdigit(static_cast<unsigned char>(text.front())) != 0);
  return text.size() >= kShortestName && !is_small;
}

bool is_word_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value >= 0x80 || std::isalnum(value) != 0;
}

// Where the name stands as a word of its own, from `start` on.
std::size_t find_word(std::string_view text, std::string_view name, std::size_t start) {
  for (std::size_t at = text.find(name, start); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word_byte(text[at - 1])) && (end == text.size() || !is_word_byte(text[end]))) return at;
    // The curled apostrophe of "Nina’s" is no letter.
    if ((at == 0 || !is_word_byte(text[at - 1])) && text.substr(end).starts_with("\xE2\x80\x99")) return at;
  }
  return std::string_view::npos;
}

// How many bytes the "'s" at the beginning of the text takes; 0: there is none.
std::size_t genitive_size(std::string_view text) {
  for (const std::string_view ending : {std::string_view("'s"), std::string_view("\xE2\x80\x99s")}) {
    if (text.starts_with(ending) && (text.size() == ending.size() || !is_word_byte(text[ending.size()])))
      return ending.size();
  }
  return 0;
}

void replace_name(std::string& text, std::string_view name) {
  for (std::size_t at = find_word(text, name, 0); at != std::string::npos; at = find_word(text, name, at + 1)) {
    const std::size_t genitive = genitive_size(std::string_view(text).substr(at + name.size()));
    text.replace(at, name.size() + genitive, genitive > 0 ? "my" : "I");
  }
}

}  // namespace

std::vector<std::string> speaker_names(const Metadata& metadata) {
  const std::vector<std::string_view> roles = parts_of(drawer_metadata::text(metadata, drawer_metadata::kRole));
  std::vector<std::string> names;
  const auto add = [&names](std::string_view name) {
    if (is_name(name) && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  };
  for (const std::string_view speaker : parts_of(drawer_metadata::text(metadata, drawer_metadata::kSpeaker))) {
    if (std::find(roles.begin(), roles.end(), speaker) != roles.end()) continue;
    add(speaker);
    add(speaker.substr(0, speaker.find(' ')));
  }
  return names;
}

std::vector<std::string> named_speakers(std::span<const Record> drawers, std::string_view question) {
  std::vector<std::string> named;
  for (const Record& record : drawers) {
    for (std::string& name : speaker_names(record.metadata)) {
      const bool is_new = std::find(named.begin(), named.end(), name) == named.end();
      if (is_new && find_word(question, name, 0) != std::string_view::npos) named.push_back(std::move(name));
    }
  }
  std::sort(named.begin(), named.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return named;
}

std::string in_first_person(std::string_view question, std::span<const std::string> names) {
  std::string text(question);
  for (const std::string& name : names) replace_name(text, name);
  return text;
}

}  // namespace loci
