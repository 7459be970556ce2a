#include "mcp/mempalace_rules.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/count_characters.h"
#include "base/utf8.h"
#include "mcp/protocol.h"
#include "text/char_class.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kMaxContentCharacters = 100'000;
constexpr std::size_t kMaxNameCharacters = 128;
constexpr std::size_t kMostDrawerIds = 500;

Error refused(std::string_view what, const std::string& why) {
  return {ErrorKind::invalid_argument, std::string(what) + " " + why};
}

Status check_length(std::string_view what, std::string_view text, std::size_t most) {
  if (count_characters(text) <= most) return ok_status();
  return refused(what, "exceeds maximum length of " + std::to_string(most) + " characters");
}

// A letter, digit or mark of any script, or what joins words to names.
bool is_of_name(char32_t character) {
  constexpr std::u32string_view kJoiners = U"_ .'-";
  if (kJoiners.find(character) != std::u32string_view::npos) return true;
  const CharClass char_class = classify(character);
  return begins_word(char_class) || char_class == CharClass::mark || char_class == CharClass::unspaced;
}

Status check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return refused(what, "must be a non-empty string");
  TRY(check_length(what, name, kMaxNameCharacters));
  const bool is_path = name.find("..") != std::string_view::npos || name.find_first_of("/\\") != std::string_view::npos;
  if (is_path) return refused(what, "contains invalid path characters");
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint next = decode_utf8(name, at);
    if (!is_of_name(next.value)) return refused(what, "contains invalid characters");
    at += next.length;
  }
  return ok_status();
}

std::string without_spaces_around(const std::string& name) {
  const std::size_t start = name.find_first_not_of(' ');
  return start == std::string::npos ? "" : name.substr(start, name.find_last_not_of(' ') - start + 1);
}

}  // namespace

Result<Json> within_rules(Json arguments, Effect effect) {
  TRY(check_length("content", text_member(arguments, "content"), kMaxContentCharacters));
  const Json* ids = member(arguments, "drawer_ids");
  if (ids != nullptr && (ids->empty() || ids->size() > kMostDrawerIds)) {
    return refused("drawer_ids", "must have 1 to " + std::to_string(kMostDrawerIds) + " ids");
  }
  if (effect == Effect::reads) return arguments;
  for (const char* what : {"wing", "room"}) {
    if (!arguments.contains(what)) continue;
    std::string name = without_spaces_around(text_member(arguments, what));
    TRY(check_name(what, name));
    arguments[what] = std::move(name);
  }
  return arguments;
}

}  // namespace loci::mcp
