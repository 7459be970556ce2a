// Word's format: paragraphs (w:p) of runs of text (w:t). What was deleted under track changes is w:delText, so it stays
// out.
#include <string_view>

#include "document/readers.h"
#include "document/zipped_xml.h"

namespace loci {
namespace {

class DocxHandler final : public XmlHandler {
 public:
  explicit DocxHandler(Prose& prose) : prose_(prose) {}

  void begin(const XmlElement& element) override {
    if (element.name == kSecondVersion) ++second_versions_;
    if (second_versions_ > 0) return;
    if (element.name == "w:t") in_text_ = true;
    if (element.name == "w:tab" && in_run_) prose_.add("\t");
    if (element.name == "w:br" || element.name == "w:cr") prose_.end_line();
    if (element.name == "w:r") in_run_ = true;
    if (element.name == "w:tbl") ++tables_;
    if (element.name == "w:tc" && tables_ > 0) prose_.end_cell();
  }
  void end(std::string_view name) override {
    if (name == kSecondVersion) --second_versions_;
    if (second_versions_ > 0 || name == kSecondVersion) return;
    if (name == "w:t") in_text_ = false;
    if (name == "w:r") in_run_ = false;
    if (name == "w:p" && tables_ == 0) prose_.end_paragraph();
    if (name == "w:p" && tables_ > 0) prose_.end_word();
    if (name == "w:tr") prose_.end_line();
    if (name == "w:tbl" && --tables_ == 0) prose_.end_paragraph();
  }
  void text(std::string_view text) override {
    if (in_text_ && second_versions_ == 0) prose_.add(text);
  }

 private:
  // What is there once more, for programs that do not know the first version, as of text boxes.
  static constexpr std::string_view kSecondVersion = "mc:Fallback";

  Prose& prose_;
  bool in_text_ = false;
  bool in_run_ = false;  // tabs elsewhere are the rulers of a style
  int tables_ = 0;
  int second_versions_ = 0;
};

}  // namespace

Result<std::string> read_docx(std::string_view bytes, const DocumentLimits& limits) {
  ZipArchive archive = TRY(ZipArchive::open(bytes, limits.unpacked_bytes));
  Prose prose(limits.text_bytes);
  DocxHandler handler(prose);
  if (!archive.contains("word/document.xml"))
    return Error{ErrorKind::corruption, "it has no word/document.xml, so it is no document of Word"};
  TRY(read_xml(archive, "word/document.xml", handler));
  for (const char* notes : {"word/footnotes.xml", "word/endnotes.xml"}) {
    if (archive.contains(notes)) TRY(read_xml(archive, notes, handler));
  }
  return finished(std::move(prose));
}

}  // namespace loci
