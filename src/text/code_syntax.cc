#include "text/code_syntax.h"

#include <algorithm>
#include <string>

#include "text/text_type.h"

namespace loci {
namespace {

// The family of C: what most languages with braces share.
constexpr CodeSyntax c_like(std::string_view language) {
  return {.language = language,
          .blocks = Blocks::braces,
          .newline_ends_statement = false,
          .line_comments = {"//"},
          .comment_open = "/*",
          .comment_close = "*/",
          .quotes = "\"'"};
}

constexpr CodeSyntax c_or_cpp(std::string_view language) {
  CodeSyntax syntax = c_like(language);
  syntax.cpp_raw_strings = true;
  syntax.preprocessor = true;
  syntax.containers = " namespace extern inline export ";
  syntax.prefixes = "template [[";
  return syntax;
}

constexpr CodeSyntax with_semicolons(std::string_view language, std::string_view containers,
                                     std::string_view prefixes) {
  CodeSyntax syntax = c_like(language);
  syntax.triple_quotes = true;
  syntax.containers = containers;
  syntax.prefixes = prefixes;
  return syntax;
}

constexpr CodeSyntax with_newlines(std::string_view language, std::string_view prefixes) {
  CodeSyntax syntax = c_like(language);
  syntax.newline_ends_statement = true;
  syntax.triple_quotes = true;
  syntax.prefixes = prefixes;
  return syntax;
}

constexpr CodeSyntax javascript(std::string_view language) {
  CodeSyntax syntax = with_newlines(language, "@");
  syntax.triple_quotes = false;
  syntax.template_strings = true;
  syntax.regular_expressions = true;
  syntax.containers = " namespace declare module ";
  return syntax;
}

constexpr CodeSyntax go() {
  CodeSyntax syntax = with_newlines("go", "");
  syntax.triple_quotes = false;
  syntax.raw_quotes = "`";
  return syntax;
}

constexpr CodeSyntax rust() {
  CodeSyntax syntax = c_like("rust");
  syntax.nested_comments = true;
  syntax.quotes = "";
  syntax.long_quotes = "\"";
  syntax.rust_strings = true;
  syntax.containers = " mod pub extern ";
  syntax.prefixes = "#[";
  return syntax;
}

constexpr CodeSyntax csharp() {
  CodeSyntax syntax = with_semicolons("csharp", " namespace ", "[");
  syntax.verbatim_strings = true;
  syntax.preprocessor = true;
  return syntax;
}

constexpr CodeSyntax swift() {
  CodeSyntax syntax = with_newlines("swift", "@");
  syntax.nested_comments = true;
  syntax.quotes = "\"";
  return syntax;
}

constexpr CodeSyntax kotlin() {
  CodeSyntax syntax = with_newlines("kotlin", "@");
  syntax.nested_comments = true;
  return syntax;
}

constexpr CodeSyntax php() {
  CodeSyntax syntax = c_like("php");
  syntax.line_comments = {"//", "#"};
  syntax.heredocs = Heredocs::php;
  syntax.containers = " namespace ";
  syntax.prefixes = "#[";
  return syntax;
}

constexpr CodeSyntax sql() {
  CodeSyntax syntax = c_like("sql");
  syntax.line_comments = {"--"};
  syntax.quotes = "\"";
  syntax.raw_quotes = "'";
  return syntax;
}

constexpr CodeSyntax css() {
  CodeSyntax syntax = c_like("css");
  syntax.line_comments = {};
  return syntax;
}

constexpr CodeSyntax python() {
  return {.language = "python", .line_comments = {"#"}, .quotes = "\"'", .triple_quotes = true, .prefixes = "@"};
}

constexpr CodeSyntax shell() {
  return {
      .language = "shell", .line_comments = {"#"}, .long_quotes = "\"", .raw_quotes = "'", .heredocs = Heredocs::shell};
}

constexpr CodeSyntax ruby() {
  return {.language = "ruby",
          .line_comments = {"#"},
          .comment_open = "=begin",
          .comment_close = "=end",
          .quotes = "\"'",
          .heredocs = Heredocs::ruby};
}

constexpr CodeSyntax cmake() {
  return {
      .language = "cmake", .line_comments = {"#"}, .comment_open = "#[[", .comment_close = "]]", .long_quotes = "\""};
}

constexpr CodeSyntax lua() {
  return {.language = "lua", .line_comments = {"--"}, .comment_open = "--[[", .comment_close = "]]", .quotes = "\"'"};
}

constexpr CodeSyntax with_hashes(std::string_view language) {
  return {.language = language, .line_comments = {"#"}, .quotes = "\"'"};
}

constexpr std::array kSyntaxes = std::to_array<CodeSyntax>({
    c_or_cpp("c"),
    c_or_cpp("cpp"),
    c_or_cpp("objective-c"),
    csharp(),
    cmake(),
    css(),
    with_semicolons("dart", "", "@"),
    go(),
    with_semicolons("java", "", "@"),
    javascript("javascript"),
    javascript("typescript"),
    kotlin(),
    lua(),
    php(),
    c_like("protobuf"),
    python(),
    ruby(),
    rust(),
    with_newlines("scala", "@"),
    shell(),
    sql(),
    swift(),
    with_newlines("terraform", ""),
    c_like("zig"),
    with_hashes("elixir"),
    with_hashes("julia"),
    with_hashes("make"),
    with_hashes("perl"),
    with_hashes("r"),
});

constexpr CodeSyntax kUnknown{};

const CodeSyntax* find_syntax(std::string_view language) {
  const auto* const found = std::find_if(kSyntaxes.begin(), kSyntaxes.end(),
                                         [&](const CodeSyntax& syntax) { return syntax.language == language; });
  return found == kSyntaxes.end() ? nullptr : found;
}

}  // namespace

const CodeSyntax& syntax_of(std::string_view language) {
  if (language.empty()) return kUnknown;
  if (const CodeSyntax* syntax = find_syntax(language); syntax != nullptr) return *syntax;
  constexpr std::size_t kLongestExtension = 16;
  if (language.size() > kLongestExtension) return kUnknown;
  const TextType type = detect_text_type("name." + std::string(language), "");
  const CodeSyntax* syntax = type.kind == TextKind::code ? find_syntax(type.language) : nullptr;
  return syntax == nullptr ? kUnknown : *syntax;
}

}  // namespace loci
