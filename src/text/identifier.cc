#include "text/identifier.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/char_class.h"

namespace loci {
namespace {

constexpr std::size_t kMaxSplitBytes = 128;

bool is_digit(char character) { return character >= '0' && character <= '9'; }
bool is_ascii_letter(char character) {
  const auto lower = static_cast<unsigned char>(character | 0x20);
  return lower >= 'a' && lower <= 'z';
}

CharClass class_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return CharClass::separator;
  return classify(decode_utf8(text, at).value);
}
bool word_begins_at(std::string_view text, std::size_t at) { return begins_word(class_at(text, at)); }

// Finds the places where a word falls into parts, character by character.
class CaseWatcher {
 public:
  explicit CaseWatcher(std::string_view text) : text_(text) {}

  // Where the part that was being read ends and a new one begins, when this character shows it; 0 otherwise.
  std::size_t boundary(CharClass current, std::size_t at) {
    std::size_t found = 0;
    if (previous_ != CharClass::separator) {
      const bool changes_to_or_from_digits = (previous_ == CharClass::digit) != (current == CharClass::digit);
      const bool starts_capitalised = previous_ == CharClass::lower && current == CharClass::upper;
      const bool ends_acronym = current == CharClass::lower && upper_count_ >= 2 && !is_plural_s(at);
      if (changes_to_or_from_digits || starts_capitalised) found = at;
      if (ends_acronym) found = previous_at_;  // HTTPServer: the S belongs to what follows
    }
    upper_count_ = current == CharClass::upper ? upper_count_ + 1 : 0;
    previous_ = current;
    previous_at_ = at;
    return found;
  }

 private:
  // APIs, URLsToFetch: the s belongs to the acronym.
  bool is_plural_s(std::size_t at) const { return text_[at] == 's' && class_at(text_, at + 1) != CharClass::lower; }

  std::string_view text_;
  CharClass previous_ = CharClass::separator;
  std::size_t previous_at_ = 0;
  int upper_count_ = 0;
};

// Reads letters, digits and what goes with them, adds the parts and says where the word ends.
std::size_t read_word(std::string_view text, std::size_t at, char sign, std::vector<IdentifierPart>& parts) {
  const std::size_t first_part = parts.size();
  const std::size_t start = at;
  parts.push_back({start, start, true, sign});
  CaseWatcher watcher(text);
  while (at < text.size()) {
    const CodePoint character = decode_utf8(text, at);
    const CharClass char_class = classify(character.value);
    if (begins_word(char_class)) {
      const std::size_t boundary = watcher.boundary(char_class, at);
      if (boundary != 0 && at - start <= kMaxSplitBytes) {
        parts.back().end = boundary;
        parts.push_back({boundary, boundary, false, '\0'});
      }
    } else if (char_class != CharClass::mark && char_class != CharClass::ignorable) {
      break;
    }
    at += character.length;
  }
  parts.back().end = at;

  // Hashes, keys and encoded data change case and kind at every other character; their parts mean nothing.
  const std::size_t count = parts.size() - first_part;
  if (at - start > kMaxSplitBytes || (count >= 4 && count * 3 > at - start)) {
    parts.resize(first_part + 1);
    parts.back().end = at;
  }
  return at;
}

struct Sign {
  std::size_t length = 0;  // 0: there is none
  char character = '\0';
};

// Up to three different signs in a row, as in "/." and "/_", or "__"; not "--", ".." or "//", which separate.
Sign read_joining_signs(std::string_view text, std::size_t at) {
  constexpr std::string_view kJoining = "_-./\\@";
  std::size_t end = at;
  while (end < text.size() && kJoining.find(text[end]) != std::string_view::npos) {
    const std::size_t length = end - at;
    if (length == 3) return {};
    if (length > 0 && text[end] == text[end - 1] && text[end] != '_') return {};
    ++end;
  }
  if (end == at || !word_begins_at(text, end)) return {};
  return {end - at, text[at]};
}

std::size_t apostrophe_length(std::string_view text, std::size_t at) {
  if (text[at] == '\'') return 1;
  return text.substr(at).starts_with("\xE2\x80\x99") ? 3 : 0;  // U+2019
}

// The sign that joins the word before `at` to the one after it.
Sign read_sign(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  if (text[at] == ':') {
    if (text.substr(at).starts_with("::") && word_begins_at(text, at + 2)) return {2, ':'};
    if (at > 0 && at + 1 < text.size() && is_digit(text[at - 1]) && is_digit(text[at + 1])) return {1, ':'};
    return {};
  }
  if (const std::size_t length = apostrophe_length(text, at); length != 0) {
    return word_begins_at(text, at + length) ? Sign{length, '\''} : Sign{};
  }
  const std::string_view rest = text.substr(at, 3);
  if (rest == "\xE2\x80\x90" || rest == "\xE2\x80\x91") {  // the hyphens U+2010 and U+2011
    return word_begins_at(text, at + 3) ? Sign{3, '-'} : Sign{};
  }
  return read_joining_signs(text, at);
}

// The length of an English ending such as 's or 'll at `at`, which says nothing about what the text is about.
std::size_t ending_length(std::string_view text, std::size_t at) {
  constexpr std::string_view kEndings[] = {"s", "m", "d", "ll", "re", "ve"};
  const std::size_t apostrophe = apostrophe_length(text, at);
  const std::size_t start = at + apostrophe;
  for (const std::string_view ending : kEndings) {
    const std::string_view found = text.substr(start, ending.size());
    const bool is_equal = std::equal(found.begin(), found.end(), ending.begin(), ending.end(),
                                     [](char left, char right) { return (left | 0x20) == right; });
    if (is_equal && !word_begins_at(text, start + ending.size())) return apostrophe + ending.size();
  }
  return 0;
}

// "++" after a word, "#" after a single letter, when no word follows.
std::string_view read_suffix(std::string_view text, std::size_t start, std::size_t at) {
  if (at == 0 || !is_ascii_letter(text[at - 1])) return {};
  const std::string_view rest = text.substr(at, 3);
  if (rest.starts_with("++") && rest != "+++" && !word_begins_at(text, at + 2)) return rest.substr(0, 2);
  if (at - start == 1 && rest.starts_with('#') && !word_begins_at(text, at + 1)) return rest.substr(0, 1);
  return {};
}

}  // namespace

void read_identifier(std::string_view text, std::size_t at, Identifier& identifier) {
  identifier.parts.clear();
  identifier.suffix = {};
  const std::size_t start = at;
  char sign = '\0';
  for (;;) {
    at = read_word(text, at, sign, identifier.parts);
    identifier.end = at;
    if (identifier.parts.size() >= kMaxIdentifierParts) return;
    const Sign next = read_sign(text, at);
    if (next.length == 0) break;
    if (next.character == '\'') {
      if (const std::size_t ending = ending_length(text, at); ending != 0) {
        identifier.end = at + ending;
        return;
      }
    }
    sign = next.character;
    at += next.length;
  }
  if (identifier.parts.size() == 1) {
    identifier.suffix = read_suffix(text, start, at);
    identifier.end = at + identifier.suffix.size();
  }
}

bool identifier_goes_on(std::string_view text, std::size_t at) {
  return read_sign(text, at).length != 0 || (at < text.size() && (text[at] == '+' || text[at] == '#'));
}

}  // namespace loci
