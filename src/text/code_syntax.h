// What a scanner must know of a programming language to see its comments, strings and blocks.
#pragma once

#include <array>
#include <string_view>

namespace loci {

enum class Blocks { braces, indentation };
enum class Heredocs { none, shell, ruby, php };

struct CodeSyntax {
  std::string_view language;
  Blocks blocks = Blocks::indentation;
  bool newline_ends_statement = true;

  std::array<std::string_view, 2> line_comments{};  // unused ones are empty
  std::string_view comment_open{};
  std::string_view comment_close{};
  bool nested_comments = false;

  std::string_view quotes{};       // of strings that end with their line
  std::string_view long_quotes{};  // of strings that may go on over lines
  std::string_view raw_quotes{};   // of strings over lines in which a backslash is nothing special
  bool triple_quotes = false;      // """ and, if ' is a quote, '''
  bool cpp_raw_strings = false;    // R"x(…)x"
  bool rust_strings = false;       // r#"…"#, and 'a which is no string
  bool verbatim_strings = false;   // @"…"
  bool template_strings = false;   // `…${…}…`
  bool regular_expressions = false;
  Heredocs heredocs = Heredocs::none;

  bool preprocessor = false;      // lines that begin with #
  std::string_view containers{};  // words, with spaces around, whose block does not count: " namespace "
  std::string_view prefixes{};    // signs or words, with spaces between, that begin a line which belongs to the next
};

// The syntax by the language's name or the extension of its files; for an unknown language one that sees nothing but
// indentation.
const CodeSyntax& syntax_of(std::string_view language);

}  // namespace loci
