#include "text/code_scanner.h"

#include <algorithm>

namespace loci {
namespace {

constexpr bool is_word_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_' || static_cast<unsigned char>(character) >= 0x80;
}

// The columns before the first sign of the line, and where that sign is.
std::size_t measure_indent(std::string_view text, std::size_t start, std::size_t end, std::size_t& first) {
  std::size_t column = 0;
  for (first = start; first < end && (text[first] == ' ' || text[first] == '\t'); ++first) {
    column = text[first] == '\t' ? (column / 4 + 1) * 4 : column + 1;
  }
  return column;
}

constexpr char opener_of(char close) { return close == ')' ? '(' : close == ']' ? '[' : '{'; }

}  // namespace

CodeScanner::CodeScanner(std::string_view text, const CodeSyntax& syntax)
    : text_(text), syntax_(syntax), lines_(text) {}

bool CodeScanner::next(CodeLine& line) {
  if (!lines_.next()) return false;
  line = {.start = lines_.start(), .end = lines_.end(), .depth = depth_, .statement_before = last_sign_};
  line_end_ = line.end;
  low_water_ = brackets_.size();
  std::size_t at = line.start;
  if (!heredoc_.empty() && inside_ == Inside::none) {
    inside_ = Inside::heredoc;
    terminator_.swap(heredoc_);
    heredoc_.clear();
  }
  if (inside_ != Inside::none) {
    line.kind = LineKind::inside;
    at = leave_inside(line);
  } else {
    line.indent = measure_indent(text_, line.start, line.end, at);
    if (is_blank(text_.substr(at, line.end - at))) return true;
    line.first = text_[at];
    read_directive(line);
  }
  read_code(line, at);
  return true;
}

// Directives hold brackets that are not those of the code around them, and choose between pieces of code that may
// open the same block twice.
void CodeScanner::read_directive(const CodeLine& line) {
  if (!syntax_.preprocessor || line.first != '#') return;
  in_directive_ = true;
  const std::string_view whole = text_.substr(line.start, line.end - line.start);
  const std::size_t name = whole.find_first_not_of("# \t", whole.find('#'));
  const std::string_view word = name == std::string_view::npos ? "" : whole.substr(name, 3);
  if (word.starts_with("if")) {
    conditionals_.push_back(brackets_.size());
  } else if (word.starts_with("el") && !conditionals_.empty()) {
    while (brackets_.size() > conditionals_.back()) pop_bracket();
  } else if (word == "end" && !conditionals_.empty()) {
    conditionals_.pop_back();
  }
}

void CodeScanner::read_code(CodeLine& line, std::size_t at) {
  const bool is_directive = in_directive_;
  while (at < line.end) {
    const char character = text_[at];
    if (is_word_character(character)) {
      if (line.last == '\0' && line.kind != LineKind::inside) line.kind = LineKind::code;
      if (statement_start_ == std::string_view::npos) statement_start_ = at;
      line.last = last_sign_ = character;
      ++at;
    } else if (is_blank_character(character)) {
      ++at;
    } else {
      at = read_sign(line, at);
    }
  }
  if (line.last != '\0') last_was_indented_ = line.indent > 0;
  if (!is_directive) return;
  const std::size_t end = text_.substr(line.start, line.end - line.start).find_last_not_of("\r\n");
  in_directive_ = end != std::string_view::npos && text_[line.start + end] == '\\';
  if (!in_directive_) last_sign_ = ';';  // a directive is a statement
}

// Reads what is neither a word nor blank; the position after it.
std::size_t CodeScanner::read_sign(CodeLine& line, std::size_t at) {
  const char sign = text_[at];
  const bool is_first = line.last == '\0';
  const auto note = [&](char last) {
    if (is_first && line.kind != LineKind::inside) line.kind = LineKind::code;
    if (statement_start_ == std::string_view::npos) statement_start_ = at;
    line.last = last_sign_ = last;
  };
  const auto note_comment = [&] {
    if (is_first && line.kind == LineKind::blank) line.kind = LineKind::comment;
  };
  const bool opens_comment =
      !syntax_.comment_open.empty() && text_.compare(at, syntax_.comment_open.size(), syntax_.comment_open) == 0;
  if (opens_comment && (sign != '=' || at == line.start)) {
    const std::size_t after = read_comment(at, at + syntax_.comment_open.size());
    if (after > at) {
      note_comment();
      return after;
    }
  }
  if (is_line_comment(at)) {
    note_comment();
    return line.end;
  }
  if (sign == '\\' && at + 1 < line.end) {
    note(sign);
    return at + (is_blank_character(text_[at + 1]) ? 1 : 2);
  }
  if (sign == '/' && syntax_.regular_expressions && may_begin_regular_expression(at)) {
    const std::size_t after = read_regular_expression(at);
    note('/');
    return after;
  }
  if (const std::size_t after = read_quote(at, sign); after > at) {
    note('"');
    return after;
  }
  if (sign == '<') note_heredoc(at);
  note(sign);
  if (sign == ';') statement_start_ = std::string_view::npos;
  if (in_directive_) return at + 1;
  if (sign == '(' || sign == '[' || sign == '{') {
    open_bracket(sign, at);
  } else if (sign == ')' || sign == ']' || sign == '}') {
    const bool resumes_template = sign == '}' && !brackets_.empty() && brackets_.back().open == '`';
    // A brace in the first column after indented code ends whatever is open.
    const bool ends_all = sign == '}' && is_first && line.indent == 0 && last_was_indented_;
    close_bracket(sign);
    if (resumes_template) return read_template(at);
    if (ends_all) forget_brackets();
  }
  return at + 1;
}

bool CodeScanner::is_line_comment(std::size_t at) const {
  for (const std::string_view mark : syntax_.line_comments) {
    if (mark.empty() || text_.compare(at, mark.size(), mark) != 0) continue;
    // In a shell `$#` and `a#b` are no comments, and #[ begins an attribute in PHP.
    if (mark == "#" && at > 0 && !is_blank_character(text_[at - 1]) && text_[at - 1] != ';') continue;
    if (mark == "#" && syntax_.prefixes == "#[" && at + 1 < text_.size() && text_[at + 1] == '[') continue;
    return true;
  }
  return false;
}

void CodeScanner::open_bracket(char open, std::size_t at) {
  const bool is_container = open == '{' && containers_ == brackets_.size() && is_container_statement(at);
  const bool counts = !is_container && brackets_.size() == low_water_;
  brackets_.push_back({open, counts, is_container});
  depth_ += counts ? 1 : 0;
  containers_ += is_container ? 1 : 0;
  if (open == '{') {
    ++open_braces_;
    statement_start_ = std::string_view::npos;
    if (is_container) last_sign_ = kContainerOpened;
  }
}

void CodeScanner::close_bracket(char close) {
  if (close == '}') {
    statement_start_ = std::string_view::npos;
    while (open_braces_ > 0 && brackets_.back().open != '{' && brackets_.back().open != '`') pop_bracket();
  }
  if (brackets_.empty()) return;
  const char open = brackets_.back().open;
  if (open == opener_of(close) || (open == '`' && close == '}')) pop_bracket();
}

void CodeScanner::pop_bracket() {
  const Bracket& top = brackets_.back();
  depth_ -= top.counts ? 1 : 0;
  containers_ -= top.is_container ? 1 : 0;
  open_braces_ -= top.open == '{' || top.open == '`' ? 1 : 0;
  brackets_.pop_back();
  low_water_ = std::min(low_water_, brackets_.size());
}

void CodeScanner::forget_brackets() {
  while (brackets_.size() > containers_) pop_bracket();
}

// True for `namespace a {`: the first word of the statement is one of those whose block does not count.
bool CodeScanner::is_container_statement(std::size_t brace) const {
  if (syntax_.containers.empty() || statement_start_ >= brace) return false;
  std::size_t end = statement_start_;
  while (end < brace && is_word_character(text_[end])) ++end;
  const std::string_view word = text_.substr(statement_start_, end - statement_start_);
  const std::size_t found = syntax_.containers.find(word);
  if (word.empty() || found == std::string_view::npos || found == 0 || syntax_.containers[found - 1] != ' ' ||
      syntax_.containers[found + word.size()] != ' ') {
    return false;
  }
  // `inline void f() {` and `export class C {` begin like containers and are none.
  const std::string_view statement = text_.substr(statement_start_, brace - statement_start_);
  const auto has = [&](std::string_view what) { return statement.find(what) != std::string_view::npos; };
  return statement.find_first_of("()=") == std::string_view::npos &&
         (has("namespace") || has("module") || has("mod ") || (word == "extern" && has("\"")));
}

// Whether the terminator is still to come. An opening sign without it is taken for a mere sign, so that it does not
// swallow the rest of the file. Files with many such signs are not worth looking through again and again.
bool CodeScanner::comes_later(std::string_view terminator, std::size_t from) {
  constexpr std::size_t kMostFailures = 32;
  if (failed_looks_ >= kMostFailures) return false;
  if (text_.find(terminator, from) != std::string_view::npos) return true;
  ++failed_looks_;
  return false;
}

}  // namespace loci
