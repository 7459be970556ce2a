// One reader for each kind of document. Errors: those of document_text().
#pragma once

#include <string>
#include <string_view>

#include "document/document_text.h"
#include "loci/result.h"

namespace loci {

Result<std::string> read_pdf(std::string_view bytes, const DocumentLimits& limits);
Result<std::string> read_docx(std::string_view bytes, const DocumentLimits& limits);
Result<std::string> read_odt(std::string_view bytes, const DocumentLimits& limits);
Result<std::string> read_epub(std::string_view bytes, const DocumentLimits& limits);

}  // namespace loci
