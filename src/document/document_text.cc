#include "document/document_text.h"

#include <algorithm>
#include <array>

#include "document/readers.h"

namespace loci {
namespace {

struct Entry {
  DocumentKind kind;
  std::string_view name;  // also the ending of file names
  Result<std::string> (*read)(std::string_view bytes, const DocumentLimits& limits);
};
constexpr std::array kEntries = {
    Entry{DocumentKind::pdf, "pdf", read_pdf},
    Entry{DocumentKind::docx, "docx", read_docx},
    Entry{DocumentKind::odt, "odt", read_odt},
    Entry{DocumentKind::epub, "epub", read_epub},
};

bool equal_in_any_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

}  // namespace

std::optional<DocumentKind> document_kind(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const Entry& entry : kEntries) {
    if (equal_in_any_case(file_name.substr(dot + 1), entry.name)) return entry.kind;
  }
  return std::nullopt;
}

std::string_view to_string(DocumentKind kind) {
  for (const Entry& entry : kEntries) {
    if (entry.kind == kind) return entry.name;
  }
  return "";
}

Result<std::string> document_text(DocumentKind kind, std::string_view bytes, const DocumentLimits& limits) {
  for (const Entry& entry : kEntries) {
    if (entry.kind == kind) return entry.read(bytes, limits);
  }
  return Error{ErrorKind::internal, "a kind of document is in no table"};
}

}  // namespace loci
