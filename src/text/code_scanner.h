// Reads source code line by line and says of each line how deep in blocks it begins, and whether it is code, a comment,
// or the inside of a string that began before. It is no parser: what it misreads it forgets at the end of the line or
// of the outermost block.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/code_syntax.h"
#include "text/lines.h"

namespace loci {

enum class LineKind {
  blank,
  comment,  // nothing else
  code,
  inside,  // begins inside of a string or comment
};

// What stands for the { of a namespace in `statement_before`: code after it may be indented and is no deeper.
inline constexpr char kContainerOpened = '\x01';

struct CodeLine {
  std::size_t start = 0;
  std::size_t end = 0;
  LineKind kind = LineKind::blank;
  std::size_t indent = 0;        // columns before the first sign; a tab goes to the next multiple of four
  std::size_t depth = 0;         // blocks and brackets that are open where it begins; those of one line count once
  char first = '\0';             // its first sign that is not blank
  char statement_before = '\0';  // the last sign of code before the line
  char last = '\0';              // the last sign of code in it
};

class CodeScanner {
 public:
  CodeScanner(std::string_view text, const CodeSyntax& syntax);

  // The next line; false at the end.
  bool next(CodeLine& line);

  // Forgets open brackets, for a caller who sees that a line begins at the outermost level.
  void forget_brackets();

 private:
  enum class Inside { none, comment, string, template_string, heredoc };

  struct Bracket {
    char open;  // ( [ { or ` for the ${ of a template
    bool counts;
    bool is_container;
  };

  void read_code(CodeLine& line, std::size_t at);
  std::size_t read_sign(CodeLine& line, std::size_t at);
  std::size_t read_quote(std::size_t at, char quote);
  std::size_t read_string(std::size_t at, std::size_t open_size, std::string_view terminator, bool has_escapes,
                          bool over_lines);
  std::size_t read_rust_quote(std::size_t at);
  std::size_t read_template(std::size_t at);
  std::size_t read_regular_expression(std::size_t at) const;
  std::size_t read_comment(std::size_t at, std::size_t from);
  void note_heredoc(std::size_t at);

  std::size_t leave_inside(const CodeLine& line);
  std::size_t leave_string(std::size_t from);
  bool is_heredoc_end(const CodeLine& line) const;

  bool is_line_comment(std::size_t at) const;
  bool may_begin_regular_expression(std::size_t at) const;
  bool is_container_statement(std::size_t brace) const;
  bool comes_later(std::string_view terminator, std::size_t from);
  void open_bracket(char open, std::size_t at);
  void close_bracket(char close);
  void pop_bracket();
  void read_directive(const CodeLine& line);

  std::string_view text_;
  const CodeSyntax& syntax_;
  LineReader lines_;

  Inside inside_ = Inside::none;
  std::string terminator_;
  bool terminator_has_escapes_ = false;
  std::size_t comment_depth_ = 0;
  std::string heredoc_;  // begins with the next line
  std::size_t failed_looks_ = 0;

  std::vector<Bracket> brackets_;
  std::size_t depth_ = 0;
  std::size_t open_braces_ = 0;
  std::size_t containers_ = 0;
  std::size_t low_water_ = 0;              // the fewest brackets open at once in this line
  std::vector<std::size_t> conditionals_;  // brackets that were open at each #if
  bool in_directive_ = false;

  std::size_t line_end_ = 0;
  std::size_t statement_start_ = 0;
  char last_sign_ = '\0';
  bool last_was_indented_ = false;
};

}  // namespace loci
