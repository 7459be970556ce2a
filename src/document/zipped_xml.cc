#include "document/zipped_xml.h"

#include <utility>

namespace loci {

Status read_xml(ZipArchive& archive, const std::string& member, XmlHandler& handler) {
  XmlReader reader(handler);
  Status status = archive.read(member, [&reader](std::string_view piece) { return reader.feed(piece); });
  if (status.ok()) status = reader.finish();
  if (status.ok()) return status;
  if (status.error().kind == ErrorKind::not_found) return Error{ErrorKind::corruption, status.error().message};
  return Error{status.error().kind, member + ": " + status.error().message};
}

Result<std::string> finished(Prose&& prose) {
  if (prose.is_over_limit()) return Error{ErrorKind::invalid_argument, "it has more text than is taken of a document"};
  return std::move(prose).take();
}

}  // namespace loci
