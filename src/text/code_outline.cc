// Code: declarations of the outermost level, then what is inside of them, level by level. Comments, decorators and the
// like go with what follows them; a comment with a blank line after it stands by itself.
#include <algorithm>
#include <array>
#include <optional>

#include "text/code_scanner.h"
#include "text/code_syntax.h"
#include "text/outline.h"

namespace loci {
namespace {

// A statement of depth d has rank 2d after a blank line or a block, else 2d + 1.
constexpr std::size_t kInner = 2;
constexpr std::size_t kDeepest = 3;
constexpr std::size_t kContinuation = 8;  // the middle of a statement
constexpr std::size_t kCloser = 9;        // the end of a block

constexpr bool is_lower(char character) { return character >= 'a' && character <= 'z'; }

std::string_view content_of(std::string_view text, const CodeLine& line) {
  const std::string_view whole = text.substr(line.start, line.end - line.start);
  const std::size_t first = whole.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : whole.substr(first);
}

// Words that end or go on with a block rather than begin a statement.
bool begins_with_closing_word(std::string_view content) {
  static constexpr std::array<std::string_view, 14> kWords = {"else",  "elif", "elsif",  "except", "finally",
                                                              "catch", "then", "do",     "done",   "fi",
                                                              "esac",  "end",  "rescue", "ensure"};
  std::size_t length = 0;
  while (length < content.size() && is_lower(content[length])) ++length;
  return std::find(kWords.begin(), kWords.end(), content.substr(0, length)) != kWords.end() &&
         (length == content.size() || content[length] != '_');
}

class CodeOutliner {
 public:
  CodeOutliner(std::string_view text, const CodeSyntax& syntax, Outline& outline)
      : text_(text), syntax_(syntax), scanner_(text, syntax), outline_(outline) {}

  void run() {
    CodeLine line;
    while (scanner_.next(line)) {
      switch (line.kind) {
        case LineKind::blank: visit_blank(); break;
        case LineKind::comment: hold(line); break;
        case LineKind::code: visit_code(line); break;
        case LineKind::inside: break;
      }
      if (line.kind != LineKind::blank) after_blank_ = false;
    }
    release();
  }

 private:
  // Lines that wait for what they belong to.
  struct Held {
    std::size_t start;
    std::size_t depth;
    bool after_gap;
    bool is_comment;
  };

  void visit_blank() {
    if (held_ && held_->is_comment) {
      release();
      after_lone_comment_ = true;
    }
    after_blank_ = true;
  }

  void hold(const CodeLine& line) {
    if (!held_) held_ = Held{line.start, depth_of(line), after_gap(), line.kind == LineKind::comment};
  }

  // What was held turns out to belong to nothing.
  void release() {
    if (held_) outline_.add(held_->start, rank(held_->depth, held_->after_gap));
    held_.reset();
  }

  void visit_code(CodeLine& line) {
    if (syntax_.blocks == Blocks::indentation) resynchronise(line);
    const std::string_view content = content_of(text_, line);
    if (is_closer(line, content)) {
      release();
      outline_.add(line.start, kCloser);
      after_block_ = true;
    } else if (goes_on(line)) {
      release();
      outline_.add(line.start, kContinuation);
    } else if (is_prefix(line, content)) {
      hold(line);
    } else {
      begin_statement(line);
    }
  }

  void begin_statement(const CodeLine& line) {
    const std::size_t depth = note_depth(line);
    const std::size_t start = held_ ? held_->start : line.start;
    const bool gap = held_ ? held_->after_gap : after_gap();
    outline_.add(start, rank(depth, gap && !after_lone_comment_));
    held_.reset();
    after_block_ = false;
    after_lone_comment_ = false;
  }

  static std::size_t rank(std::size_t depth, bool after_gap) {
    return 2 * std::min(depth, kDeepest) + (after_gap ? 0 : 1);
  }

  bool after_gap() const { return after_blank_ || after_block_; }

  static bool is_closer(const CodeLine& line, std::string_view content) {
    return line.first == '}' || line.first == ')' || line.first == ']' || begins_with_closing_word(content);
  }

  bool goes_on(const CodeLine& line) const {
    if (syntax_.blocks == Blocks::indentation) return line.depth > 0 || line.statement_before == '\\';
    if (after_blank_ || line.statement_before == '\0') return false;
    if (syntax_.newline_ends_statement) {
      return (std::string_view(",+*/=&|.?<\\").find(line.statement_before) != std::string_view::npos &&
              line.depth == 0) ||
             std::string_view(".?:&|=+").find(line.first) != std::string_view::npos;
    }
    return std::string_view(";{}:,([\x01").find(line.statement_before) == std::string_view::npos;
  }

  // A decorator, an attribute, the parameters of a template.
  bool is_prefix(const CodeLine& line, std::string_view content) const {
    if (line.last == '{' || line.last == ';' || line.last == '}') return false;
    std::string_view prefixes = syntax_.prefixes;
    while (!prefixes.empty()) {
      const std::size_t space = std::min(prefixes.find(' '), prefixes.size());
      if (content.starts_with(prefixes.substr(0, space))) return true;
      prefixes.remove_prefix(std::min(space + 1, prefixes.size()));
    }
    return false;
  }

  // Brackets that seem open where a paragraph begins in the first column are a mistake of somebody's.
  void resynchronise(CodeLine& line) {
    const bool begins_word = is_lower(line.first) || line.first == '@' || (line.first >= 'A' && line.first <= 'Z');
    if (line.depth == 0 || line.indent > 0 || !after_blank_ || !begins_word) return;
    scanner_.forget_brackets();
    line.depth = 0;
  }

  std::size_t depth_of(const CodeLine& line) const {
    if (syntax_.blocks == Blocks::braces) {
      const bool is_lost = line.depth == 0 && line.indent > outer_indent_;
      return is_lost ? 1 : line.depth;
    }
    const auto deeper = std::lower_bound(indents_.begin(), indents_.end(), line.indent);
    return static_cast<std::size_t>(deeper - indents_.begin());
  }

  std::size_t note_depth(const CodeLine& line) {
    if (syntax_.blocks == Blocks::indentation) {
      while (!indents_.empty() && indents_.back() >= line.indent) indents_.pop_back();
      indents_.push_back(line.indent);
      return indents_.size() - 1;
    }
    // Code in a namespace may be indented; its first statement shows by how much.
    if (line.depth == 0 && (line.indent < outer_indent_ || line.statement_before == kContainerOpened)) {
      outer_indent_ = line.indent;
    }
    return depth_of(line);
  }

  std::string_view text_;
  const CodeSyntax& syntax_;
  CodeScanner scanner_;
  Outline& outline_;
  std::optional<Held> held_;
  std::vector<std::size_t> indents_;  // of the blocks that the last statement is in
  std::size_t outer_indent_ = 0;
  bool after_blank_ = false;
  bool after_block_ = false;
  bool after_lone_comment_ = false;
};

}  // namespace

Outline outline_code(std::string_view text, std::string_view language) {
  Outline outline({.eager_ranks = 1, .inner_ranks = kInner});
  CodeOutliner(text, syntax_of(language), outline).run();
  return outline;
}

}  // namespace loci
