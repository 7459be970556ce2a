// The part of CodeScanner that reads strings and comments.
#include <algorithm>
#include <array>

#include "text/code_scanner.h"

namespace loci {
namespace {

constexpr bool is_letter_or_digit(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_';
}

// True when an odd number of backslashes stands before `at`, none of them before `from`.
bool is_escaped(std::string_view text, std::size_t from, std::size_t at) {
  std::size_t backslashes = 0;
  while (at > from && text[at - 1] == '\\') {
    --at;
    ++backslashes;
  }
  return backslashes % 2 == 1;
}

// The terminator before `end`, not behind a backslash if those escape it.
std::size_t find_terminator(std::string_view text, std::size_t from, std::size_t end, std::string_view terminator,
                            bool has_escapes) {
  const std::string_view within = text.substr(0, end);
  std::size_t found = within.find(terminator, from);
  while (found != std::string_view::npos && has_escapes && is_escaped(text, from, found)) {
    found = within.find(terminator, found + 1);
  }
  return found;
}

}  // namespace

// What a quote at `at` opens; the position after it, or `at` when it opens nothing.
std::size_t CodeScanner::read_quote(std::size_t at, char quote) {
  if (quote != '"' && quote != '\'' && quote != '`') return at;
  const char before = at > 0 ? text_[at - 1] : '\0';
  if (quote == '`' && syntax_.template_strings) return comes_later("`", at + 1) ? read_template(at) : at;
  if (syntax_.rust_strings) return read_rust_quote(at);
  if (quote == '"' && syntax_.cpp_raw_strings && before == 'R') {
    const std::size_t open = text_.find('(', at);
    constexpr std::size_t kLongestDelimiter = 16;
    if (open != std::string_view::npos && open - at - 1 <= kLongestDelimiter) {
      const std::string terminator = ")" + std::string(text_.substr(at + 1, open - at - 1)) + "\"";
      return read_string(at, open + 1 - at, terminator, false, true);
    }
  }
  if (quote == '"' && syntax_.verbatim_strings &&
      (before == '@' || (before == '$' && at > 1 && text_[at - 2] == '@'))) {
    return read_string(at, 1, "\"", false, true);
  }
  const bool is_quote = syntax_.quotes.find(quote) != std::string_view::npos;
  if (syntax_.triple_quotes && is_quote) {
    const std::array<char, 3> three = {quote, quote, quote};
    const std::string_view terminator(three.data(), three.size());
    if (text_.compare(at, 3, terminator) == 0) return read_string(at, 3, terminator, true, true);
  }
  const std::string_view terminator(&quote, 1);
  if (is_quote) {
    // 1'000'000 and the apostrophe of a word are no strings.
    if (quote == '\'' && is_letter_or_digit(before) && before != 'L' && before != 'u' && before != 'b') return at;
    return read_string(at, 1, terminator, true, false);
  }
  if (syntax_.long_quotes.find(quote) != std::string_view::npos) return read_string(at, 1, terminator, true, true);
  if (syntax_.raw_quotes.find(quote) != std::string_view::npos) return read_string(at, 1, terminator, false, true);
  return at;
}

std::size_t CodeScanner::read_string(std::size_t at, std::size_t open_size, std::string_view terminator,
                                     bool has_escapes, bool over_lines) {
  constexpr std::size_t kLongestInLine = 10'000;
  const std::size_t from = at + open_size;
  if (over_lines && !comes_later(terminator, from)) return at;
  const std::size_t end = over_lines ? line_end_ : std::min(line_end_, from + kLongestInLine);
  const std::size_t found = find_terminator(text_, from, end, terminator, has_escapes);
  if (found != std::string_view::npos) return found + terminator.size();
  if (!over_lines) return at;
  inside_ = Inside::string;
  terminator_ = terminator;
  terminator_has_escapes_ = has_escapes;
  return line_end_;
}

// A string, a raw string, a character, or a lifetime, which is nothing.
std::size_t CodeScanner::read_rust_quote(std::size_t at) {
  if (text_[at] == '"') {
    std::size_t hashes = 0;
    while (hashes < at && text_[at - 1 - hashes] == '#') ++hashes;
    const bool is_raw = hashes < at && text_[at - 1 - hashes] == 'r';
    return is_raw ? read_string(at, 1, "\"" + std::string(hashes, '#'), false, true)
                  : read_string(at, 1, "\"", true, true);
  }
  if (text_[at] != '\'' || at + 2 >= line_end_) return at;
  if (text_[at + 1] == '\\') return read_string(at, 1, "'", true, false);
  constexpr std::size_t kLongestCharacter = 5;
  const std::size_t close = text_.substr(0, std::min(line_end_, at + 1 + kLongestCharacter)).find('\'', at + 2);
  const bool is_ascii = static_cast<unsigned char>(text_[at + 1]) < 0x80;
  if (close == std::string_view::npos || (is_ascii && close != at + 2)) return at;
  return close + 1;
}

// From the ` that opens, or the } that resumes, to the ` that closes or the ${ that interrupts.
std::size_t CodeScanner::read_template(std::size_t at) {
  inside_ = Inside::none;
  for (++at; at < line_end_; ++at) {
    if (text_[at] == '\\') {
      ++at;
    } else if (text_[at] == '`') {
      return at + 1;
    } else if (text_[at] == '$' && at + 1 < line_end_ && text_[at + 1] == '{') {
      open_bracket('{', at + 1);
      brackets_.back().open = '`';
      return at + 2;
    }
  }
  inside_ = Inside::template_string;
  return line_end_;
}

std::size_t CodeScanner::read_comment(std::size_t at, std::size_t from) {
  if (!comes_later(syntax_.comment_close, from)) return at;
  comment_depth_ = 1;
  inside_ = Inside::comment;
  return leave_string(from);
}

// In JavaScript a / after a value divides, elsewhere it begins a regular expression.
bool CodeScanner::may_begin_regular_expression(std::size_t at) const {
  if (last_sign_ == '\0') return true;
  if (is_letter_or_digit(last_sign_)) {
    std::size_t end = at;
    while (end > 0 && text_[end - 1] == ' ') --end;
    const std::string_view before = text_.substr(0, end);
    return before.ends_with("return") || before.ends_with("typeof") || before.ends_with("case");
  }
  return std::string_view("(,=:[!&|?{};+-*%<>~^").find(last_sign_) != std::string_view::npos;
}

// The position after the expression; when it does not end in its line, after the / alone.
std::size_t CodeScanner::read_regular_expression(std::size_t at) const {
  constexpr std::size_t kLongest = 300;
  const std::size_t stop = std::min(line_end_, at + kLongest);
  bool in_class = false;
  for (std::size_t end = at + 1; end < stop; ++end) {
    const char character = text_[end];
    if (character == '\\') {
      ++end;
    } else if (character == '[') {
      in_class = true;
    } else if (character == ']') {
      in_class = false;
    } else if (character == '/' && !in_class) {
      return end + 1;
    }
  }
  return at + 1;
}

// Takes down what ends the text that << announces, if it does.
void CodeScanner::note_heredoc(std::size_t at) {
  if (syntax_.heredocs == Heredocs::none || text_.compare(at, 2, "<<") != 0) return;
  std::size_t name = at + 2;
  if (syntax_.heredocs == Heredocs::php) {
    if (text_.compare(at, 3, "<<<") != 0) return;
    ++name;
  } else if (name < text_.size() && (text_[name] == '<' || (at > 0 && text_[at - 1] == '<'))) {
    return;
  }
  if (name < text_.size() && (text_[name] == '-' || text_[name] == '~')) ++name;
  while (syntax_.heredocs != Heredocs::ruby && name < text_.size() && text_[name] == ' ') ++name;
  if (name < text_.size() && (text_[name] == '\'' || text_[name] == '"' || text_[name] == '\\')) ++name;
  std::size_t end = name;
  while (end < line_end_ && is_letter_or_digit(text_[end])) ++end;
  const std::string_view word = text_.substr(name, end - name);
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return;
  if (syntax_.heredocs == Heredocs::ruby && (word[0] < 'A' || word[0] > 'Z')) return;  // a << b
  if (comes_later(word, line_end_)) heredoc_ = word;
}

bool CodeScanner::is_heredoc_end(const CodeLine& line) const {
  std::string_view content = text_.substr(line.start, line.end - line.start);
  const std::size_t first = content.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  content.remove_prefix(first);
  if (!content.starts_with(terminator_)) return false;
  return content.size() == terminator_.size() || !is_letter_or_digit(content[terminator_.size()]);
}

// Reads on in what began in an earlier line; the position after its end, or the end of the line.
std::size_t CodeScanner::leave_inside(const CodeLine& line) {
  if (inside_ == Inside::template_string) return line.start < line.end ? read_template(line.start - 1) : line.end;
  if (inside_ != Inside::heredoc) return leave_string(line.start);
  if (is_heredoc_end(line)) {
    inside_ = Inside::none;
    last_sign_ = ';';
  }
  return line.end;
}

std::size_t CodeScanner::leave_string(std::size_t from) {
  if (inside_ == Inside::string) {
    const std::size_t found = find_terminator(text_, from, line_end_, terminator_, terminator_has_escapes_);
    if (found == std::string_view::npos) return line_end_;
    inside_ = Inside::none;
    last_sign_ = '"';
    return found + terminator_.size();
  }
  const std::string_view line = text_.substr(0, line_end_);
  while (comment_depth_ > 0) {
    const std::size_t close = line.find(syntax_.comment_close, from);
    const std::size_t open = syntax_.nested_comments ? line.find(syntax_.comment_open, from) : std::string_view::npos;
    if (open < close) {
      ++comment_depth_;
      from = open + syntax_.comment_open.size();
    } else if (close != std::string_view::npos) {
      --comment_depth_;
      from = close + syntax_.comment_close.size();
    } else {
      return line_end_;
    }
  }
  inside_ = Inside::none;
  return from;
}

}  // namespace loci
