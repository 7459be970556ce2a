// The text of documents that are no text files: PDF, and the zipped XML of word processors and e-books.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci {

enum class DocumentKind { pdf, docx, odt, epub };

// By the ending of the name, in any case. Nothing: it is no document.
std::optional<DocumentKind> document_kind(std::string_view file_name);

// "docx": the name that metadata use.
std::string_view to_string(DocumentKind kind);

// What a hostile document may cost.
struct DocumentLimits {
  std::size_t text_bytes = std::size_t{10} << 20;       // of the text that comes out
  std::size_t unpacked_bytes = std::size_t{256} << 20;  // of all XML that is read for it
  std::size_t seconds = 60;                             // of a reader that is a program of its own
};

// The text as UTF-8 without NUL, paragraphs separated by empty lines. Errors: corruption for a document that cannot be
// read; invalid_argument for one beyond a limit; unavailable when the reader of PDF files is not installed.
Result<std::string> document_text(DocumentKind kind, std::string_view bytes, const DocumentLimits& limits = {});

}  // namespace loci
