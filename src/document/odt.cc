// OpenDocument: paragraphs and headings (text:p, text:h), with elements for runs of spaces, tabs and line ends.
#include <algorithm>
#include <charconv>

#include "document/readers.h"
#include "document/zipped_xml.h"

namespace loci {
namespace {

constexpr std::size_t kMostSpaces = 1'000;

std::size_t count_of(std::string_view number) {
  std::size_t count = 1;
  std::from_chars(number.data(), number.data() + number.size(), count);
  return std::min(count, kMostSpaces);
}

class OdtHandler final : public XmlHandler {
 public:
  explicit OdtHandler(Prose& prose) : prose_(prose) {}

  void begin(const XmlElement& element) override {
    if (is_hidden(element.name)) ++hidden_;
    if (hidden_ > 0) return;
    if (is_paragraph(element.name)) ++paragraphs_;
    if (paragraphs_ > 0 && element.name == "text:s")
      prose_.add(std::string(count_of(element.attribute("text:c")), ' '));
    if (paragraphs_ > 0 && element.name == "text:tab") prose_.add("\t");
    if (element.name == "text:line-break") prose_.end_line();
    if (element.name == "table:table") ++tables_;
    if (element.name == "table:table-cell" && tables_ > 0) prose_.end_cell();
  }
  void end(std::string_view name) override {
    if (is_hidden(name)) --hidden_;
    if (hidden_ > 0 || is_hidden(name)) return;
    if (is_paragraph(name)) --paragraphs_;
    if (is_paragraph(name) && tables_ == 0) prose_.end_paragraph();
    if (is_paragraph(name) && tables_ > 0) prose_.end_word();
    if (name == "table:table-row") prose_.end_line();
    if (name == "table:table" && --tables_ == 0) prose_.end_paragraph();
  }
  void text(std::string_view text) override {
    if (paragraphs_ > 0 && hidden_ == 0) prose_.add(text);
  }

 private:
  static bool is_paragraph(std::string_view name) { return name == "text:p" || name == "text:h"; }
  // What was deleted, and notes of reviewers.
  static bool is_hidden(std::string_view name) { return name == "text:tracked-changes" || name == "office:annotation"; }

  Prose& prose_;
  int paragraphs_ = 0;
  int hidden_ = 0;
  int tables_ = 0;
};

}  // namespace

Result<std::string> read_odt(std::string_view bytes, const DocumentLimits& limits) {
  ZipArchive archive = TRY(ZipArchive::open(bytes, limits.unpacked_bytes));
  if (!archive.contains("content.xml"))
    return Error{ErrorKind::corruption, "it has no content.xml, so it is no OpenDocument text"};
  Prose prose(limits.text_bytes);
  OdtHandler handler(prose);
  TRY(read_xml(archive, "content.xml", handler));
  return finished(std::move(prose));
}

}  // namespace loci
