// What the zipped formats share.
#pragma once

#include <string>

#include "document/document_text.h"
#include "document/prose.h"
#include "document/xml_reader.h"
#include "document/zip_archive.h"

namespace loci {

// Reads one member of the archive as XML. Errors, naming the member: corruption, also when it is not there;
// invalid_argument beyond a limit.
Status read_xml(ZipArchive& archive, const std::string& member, XmlHandler& handler);

// The finished text. Errors: invalid_argument when it was cut at the limit.
Result<std::string> finished(Prose&& prose);

}  // namespace loci
