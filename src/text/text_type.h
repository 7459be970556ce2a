// What a file is: prose, code or data, and in which language.
#pragma once

#include <string_view>

namespace loci {

enum class TextKind { markdown, code, json, yaml, toml, ini, html, xml, csv, plain };

// The name that metadata use: "markdown".
std::string_view to_string(TextKind kind);

struct TextType {
  TextKind kind = TextKind::plain;
  std::string_view language;  // "cpp", "python", …, a constant; empty for prose and unknown languages

  bool operator==(const TextType&) const = default;
};

// By the file's name (with or without folders, in any case), then by its first bytes: a `#!` line, a document type.
// Unknown names are plain text.
TextType detect_text_type(std::string_view file_name, std::string_view head);

}  // namespace loci
