#include "search/clean_query.h"

#include <algorithm>

namespace loci {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kSpaces);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpaces) - start + 1);
}

// Does a sentence end behind this byte? A point inside "v1.2" or "main.cc" ends none.
bool ends_sentence(std::string_view text, std::size_t at) {
  if (text[at] == '\n') return true;
  if (text[at] != '.' && text[at] != '?' && text[at] != '!') return false;
  return at + 1 == text.size() || kSpaces.find(text[at + 1]) != std::string_view::npos;
}

// Where the sentence that ends at `end` begins.
std::size_t sentence_start(std::string_view text, std::size_t end) {
  std::size_t start = end > 0 ? end - 1 : 0;
  while (start > 0 && !ends_sentence(text, start - 1)) --start;
  return start;
}

// The end of the text, not longer than a question and beginning with a whole character.
std::string_view tail(std::string_view text) {
  if (text.size() <= kLongestQuestionBytes) return text;
  std::size_t start = text.size() - kLongestQuestionBytes;
  while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) ++start;
  return text.substr(start);
}

}  // namespace

std::string_view clean_query(std::string_view text) {
  text = trimmed(text);
  if (text.size() <= kLongestQuestionBytes) return text;
  std::size_t end = text.size();
  const std::size_t mark = text.find_last_of('?');
  // A question mark far above the end belongs to what was pasted.
  if (mark != std::string_view::npos && text.size() - mark <= kLongestQuestionBytes) end = mark + 1;
  const std::size_t start = sentence_start(text, end);
  return tail(trimmed(text.substr(start, end - start)));
}

}  // namespace loci
