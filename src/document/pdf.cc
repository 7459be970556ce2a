// PDF, by pdftotext of poppler-utils: a process of its own, so that a hostile file can at most cost that process its
// life, and the program that is asked for nothing but a drawer does not carry the weight of a PDF library.
#include <algorithm>
#include <string>

#include "base/filter_process.h"
#include "base/utf8.h"
#include "document/readers.h"

namespace loci {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{1} << 30;  // of the other process

// Fonts may claim that their signs mean anything; a drawer holds UTF-8 without NUL.
std::string as_text(std::string output) {
  std::replace(output.begin(), output.end(), '\0', ' ');
  return is_valid_utf8(output) ? output : to_valid_utf8(output);
}

}  // namespace

Result<std::string> read_pdf(std::string_view bytes, const DocumentLimits& limits) {
  if (bytes.substr(0, 1024).find("%PDF-") == std::string_view::npos)
    return Error{ErrorKind::corruption, "it does not begin like a PDF file"};
  Result<std::string> text = run_filter({.command = {"pdftotext", "-q", "-nopgbrk", "-enc", "UTF-8", "-", "-"},
                                         .input = bytes,
                                         .output_bytes = limits.text_bytes,
                                         .memory_bytes = kMemoryBytes,
                                         .seconds = limits.seconds});
  if (text.ok()) return as_text(std::move(*text));
  if (text.error().kind != ErrorKind::not_found) return text;
  return Error{ErrorKind::unavailable, "pdftotext reads PDF files; apt-get install poppler-utils brings it"};
}

}  // namespace loci
