#include "text/text_type.h"

#include <algorithm>
#include <array>
#include <string>

namespace loci {
namespace {

struct NamedType {
  std::string_view name;  // lower case
  TextType type;
};

constexpr TextType code(std::string_view language) { return {TextKind::code, language}; }

// What follows the last dot. Sorted by language, since people read it more often than programs.
constexpr std::array kExtensions = std::to_array<NamedType>({
    {"c", code("c")},
    {"h", code("cpp")},  // C headers are cut alike
    {"cc", code("cpp")},
    {"cpp", code("cpp")},
    {"cxx", code("cpp")},
    {"c++", code("cpp")},
    {"hh", code("cpp")},
    {"hpp", code("cpp")},
    {"hxx", code("cpp")},
    {"inl", code("cpp")},
    {"ipp", code("cpp")},
    {"cu", code("cpp")},
    {"m", code("objective-c")},
    {"mm", code("objective-c")},
    {"cs", code("csharp")},
    {"css", code("css")},
    {"scss", code("css")},
    {"less", code("css")},
    {"dart", code("dart")},
    {"go", code("go")},
    {"proto", code("protobuf")},
    {"java", code("java")},
    {"groovy", code("java")},
    {"gradle", code("java")},
    {"js", code("javascript")},
    {"mjs", code("javascript")},
    {"cjs", code("javascript")},
    {"jsx", code("javascript")},
    {"ts", code("typescript")},
    {"mts", code("typescript")},
    {"cts", code("typescript")},
    {"tsx", code("typescript")},
    {"kt", code("kotlin")},
    {"kts", code("kotlin")},
    {"scala", code("scala")},
    {"lua", code("lua")},
    {"php", code("php")},
    {"py", code("python")},
    {"pyi", code("python")},
    {"pyw", code("python")},
    {"rb", code("ruby")},
    {"rake", code("ruby")},
    {"gemspec", code("ruby")},
    {"rs", code("rust")},
    {"sh", code("shell")},
    {"bash", code("shell")},
    {"zsh", code("shell")},
    {"ksh", code("shell")},
    {"sql", code("sql")},
    {"swift", code("swift")},
    {"cmake", code("cmake")},
    {"mk", code("make")},
    {"tf", code("terraform")},
    {"hcl", code("terraform")},
    {"zig", code("zig")},
    {"pl", code("perl")},
    {"pm", code("perl")},
    {"r", code("r")},
    {"jl", code("julia")},
    {"ex", code("elixir")},
    {"exs", code("elixir")},

    {"md", {TextKind::markdown, ""}},
    {"markdown", {TextKind::markdown, ""}},
    {"mdx", {TextKind::markdown, ""}},
    {"mdown", {TextKind::markdown, ""}},
    {"mkd", {TextKind::markdown, ""}},
    {"qmd", {TextKind::markdown, ""}},
    {"rmd", {TextKind::markdown, ""}},
    {"mdc", {TextKind::markdown, ""}},
    {"json", {TextKind::json, "json"}},
    {"jsonl", {TextKind::json, "json"}},
    {"ndjson", {TextKind::json, "json"}},
    {"json5", {TextKind::json, "json"}},
    {"jsonc", {TextKind::json, "json"}},
    {"geojson", {TextKind::json, "json"}},
    {"ipynb", {TextKind::json, "json"}},
    {"webmanifest", {TextKind::json, "json"}},
    {"yaml", {TextKind::yaml, "yaml"}},
    {"yml", {TextKind::yaml, "yaml"}},
    {"toml", {TextKind::toml, "toml"}},
    {"ini", {TextKind::ini, "ini"}},
    {"cfg", {TextKind::ini, "ini"}},
    {"conf", {TextKind::ini, "ini"}},
    {"properties", {TextKind::ini, "ini"}},
    {"desktop", {TextKind::ini, "ini"}},
    {"service", {TextKind::ini, "ini"}},
    {"env", {TextKind::ini, "ini"}},
    {"html", {TextKind::html, "html"}},
    {"htm", {TextKind::html, "html"}},
    {"xhtml", {TextKind::html, "html"}},
    {"vue", {TextKind::html, "vue"}},
    {"svelte", {TextKind::html, "svelte"}},
    {"xml", {TextKind::xml, "xml"}},
    {"svg", {TextKind::xml, "xml"}},
    {"xsd", {TextKind::xml, "xml"}},
    {"xsl", {TextKind::xml, "xml"}},
    {"rss", {TextKind::xml, "xml"}},
    {"atom", {TextKind::xml, "xml"}},
    {"plist", {TextKind::xml, "xml"}},
    {"csproj", {TextKind::xml, "xml"}},
    {"csv", {TextKind::csv, "csv"}},
    {"tsv", {TextKind::csv, "tsv"}},
    {"rst", {TextKind::plain, "rst"}},
    {"adoc", {TextKind::plain, "asciidoc"}},
    {"asciidoc", {TextKind::plain, "asciidoc"}},
    {"org", {TextKind::plain, "org"}},
    {"tex", {TextKind::plain, "latex"}},
    {"log", {TextKind::plain, "log"}},
});

// Whole names, for files without a telling extension.
constexpr std::array kNames = std::to_array<NamedType>({
    {"cmakelists.txt", code("cmake")},
    {"makefile", code("make")},
    {"gnumakefile", code("make")},
    {"dockerfile", code("shell")},
    {"containerfile", code("shell")},
    {"gemfile", code("ruby")},
    {"rakefile", code("ruby")},
    {"jenkinsfile", code("java")},
    {".bashrc", code("shell")},
    {".bash_profile", code("shell")},
    {".profile", code("shell")},
    {".zshrc", code("shell")},
    {".gitconfig", {TextKind::ini, "ini"}},
    {".editorconfig", {TextKind::ini, "ini"}},
    {".env", {TextKind::ini, "ini"}},
    {".clang-format", {TextKind::yaml, "yaml"}},
    {".clang-tidy", {TextKind::yaml, "yaml"}},
});

// Programs that a `#!` line names; versions such as python3.11 are taken off first.
constexpr std::array kInterpreters = std::to_array<NamedType>({
    {"sh", code("shell")},
    {"bash", code("shell")},
    {"dash", code("shell")},
    {"zsh", code("shell")},
    {"ksh", code("shell")},
    {"python", code("python")},
    {"node", code("javascript")},
    {"deno", code("typescript")},
    {"bun", code("typescript")},
    {"ruby", code("ruby")},
    {"php", code("php")},
    {"perl", code("perl")},
    {"lua", code("lua")},
});

template <std::size_t kSize>
const TextType* find(const std::array<NamedType, kSize>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const NamedType& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &found->type;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return lower;
}

std::string_view last_part(std::string_view text, char separator) {
  return text.substr(text.rfind(separator) + 1);  // npos + 1 is 0
}

// "python" for `#!/usr/bin/env -S python3.11 -u`.
std::string_view interpreter(std::string_view head) {
  if (!head.starts_with("#!")) return {};
  std::string_view line = head.substr(2, head.find_first_of("\r\n") - 2);
  std::string_view program;
  while (program.empty() || program == "env" || program.starts_with("-")) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    const std::size_t length = std::min(line.find_first_of(" \t"), line.size());
    program = last_part(line.substr(0, length), '/');
    line.remove_prefix(length);
  }
  return program.substr(0, program.find_first_of("0123456789."));
}

TextType type_of_content(std::string_view head) {
  if (const TextType* type = find(kInterpreters, interpreter(head)); type != nullptr) return *type;
  const std::string start = lower_case(head.substr(0, 16));
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) return {TextKind::html, "html"};
  if (start.starts_with("<?xml")) return {TextKind::xml, "xml"};
  return {};
}

}  // namespace

std::string_view to_string(TextKind kind) {
  switch (kind) {
    case TextKind::markdown: return "markdown";
    case TextKind::code: return "code";
    case TextKind::json: return "json";
    case TextKind::yaml: return "yaml";
    case TextKind::toml: return "toml";
    case TextKind::ini: return "ini";
    case TextKind::html: return "html";
    case TextKind::xml: return "xml";
    case TextKind::csv: return "csv";
    case TextKind::plain: return "plain";
  }
  return "plain";
}

TextType detect_text_type(std::string_view file_name, std::string_view head) {
  const std::string name = lower_case(last_part(file_name, '/'));
  if (const TextType* type = find(kNames, name); type != nullptr) return *type;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot > 0) {
    if (const TextType* type = find(kExtensions, std::string_view(name).substr(dot + 1)); type != nullptr) return *type;
  }
  return type_of_content(head);
}

}  // namespace loci
