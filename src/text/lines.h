// Lines of a text, as the chunkers see them.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace loci {

// What ends a line: LF, or CR in a text that has no LF.
inline char line_terminator(std::string_view text) {
  return text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos ? '\r' : '\n';
}

constexpr bool is_blank_character(char character) {
  return character == ' ' || character == '\t' || character == '\r' || character == '\n' || character == '\f' ||
         character == '\v';
}

inline bool is_blank(std::string_view text) {
  for (const char character : text) {
    if (!is_blank_character(character)) return false;
  }
  return true;
}

// Walks over the lines of a text.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : LineReader(text, 0, line_terminator(text)) {}
  LineReader(std::string_view text, std::size_t from, char terminator)
      : text_(text), end_(from), terminator_(terminator) {}

  // Goes to the next line; false at the end of the text.
  bool next() {
    if (end_ >= text_.size()) return false;
    start_ = end_;
    const void* found = std::memchr(text_.data() + start_, terminator_, text_.size() - start_);
    end_ =
        found == nullptr ? text_.size() : static_cast<std::size_t>(static_cast<const char*>(found) - text_.data()) + 1;
    return true;
  }

  std::size_t start() const { return start_; }
  std::size_t end() const { return end_; }
  std::string_view line() const { return text_.substr(start_, end_ - start_); }  // with what ends it

 private:
  std::string_view text_;
  std::size_t start_ = 0;
  std::size_t end_;
  char terminator_;
};

}  // namespace loci
