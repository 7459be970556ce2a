#include "document/document_text.h"

#include <gtest/gtest.h>

#include "document/made_zip.h"

namespace loci {
namespace {

std::string docx(const std::string& body) {
  return make_zip({{"word/document.xml", "<w:document xmlns:w='w'><w:body>" + body + "</w:body></w:document>"}});
}

std::string odt(const std::string& body) {
  return make_zip({{"mimetype", "application/vnd.oasis.opendocument.text"},
                   {"content.xml",
                    "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:table='b'>"
                    "<office:body><office:text>" +
                        body + "</office:text></office:body></office:document-content>"}});
}

std::string epub(const std::string& first, const std::string& second) {
  return make_zip({{"META-INF/container.xml",
                    "<container xmlns='c'><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>"},
                   {"OEBPS/book.opf",
                    "<package xmlns='p'><manifest><item id='b' href='two.xhtml'/><item id='a' href='one.xhtml'/>"
                    "</manifest><spine><itemref idref='a'/><itemref idref='b'/></spine></package>"},
                   {"OEBPS/two.xhtml", second},
                   {"OEBPS/one.xhtml", first}});
}

TEST(DocumentTextTest, KnowsDocumentsByTheirEnding) {
  EXPECT_EQ(document_kind("a/b.PDF"), DocumentKind::pdf);
  EXPECT_EQ(document_kind("letter.docx"), DocumentKind::docx);
  EXPECT_EQ(document_kind("letter.doc"), std::nullopt);
  EXPECT_EQ(document_kind("pdf"), std::nullopt);
  EXPECT_EQ(to_string(DocumentKind::epub), "epub");
}

TEST(DocumentTextTest, WordGivesParagraphsAndTables) {
  const std::string text =
      document_text(DocumentKind::docx, docx("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>First </w:t></w:r>"
                                             "<w:r><w:t>line</w:t><w:br/><w:t>second</w:t></w:r></w:p>"
                                             "<w:p><w:r><w:delText>gone</w:delText><w:t>Kept</w:t><w:tab/>"
                                             "<w:t>tab</w:t></w:r></w:p>"
                                             "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
                                             "<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p>"
                                             "<w:p><w:r><w:t>too</w:t></w:r></w:p></w:tc></w:tr>"
                                             "<w:tr><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
                                             "<w:p><w:r><w:t>End</w:t></w:r></w:p>"))
          .value();
  EXPECT_EQ(text, "First line\nsecond\n\nKept\ttab\n\na\tb too\nc\n\nEnd\n");
}

TEST(DocumentTextTest, WordGivesTextBoxesOnceAndNotesAtTheEnd) {
  const std::string document = make_zip(
      {{"word/footnotes.xml", "<w:footnotes xmlns:w='w'><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnotes>"},
       {"word/document.xml",
        "<w:document xmlns:w='w' xmlns:mc='m'><w:p><w:r><mc:AlternateContent><mc:Choice><w:t>Box</w:t></mc:Choice>"
        "<mc:Fallback><w:p><w:r><w:t>Box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>"
        "<w:t> and text</w:t></w:r></w:p></w:document>"}});
  EXPECT_EQ(document_text(DocumentKind::docx, document).value(), "Box and text\n\nA note\n");
}

TEST(DocumentTextTest, OpenDocumentGivesParagraphsHeadingsAndTables) {
  const std::string text =
      document_text(DocumentKind::odt,
                    odt("<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
                        "<text:h>Title</text:h><text:p>two<text:s text:c='2'/>spaces<text:line-break/>line</text:p>"
                        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
                        "<table:table-cell><text:p>b</text:p><text:p>too</text:p></table:table-cell>"
                        "</table:table-row></table:table>"
                        "<text:p>Wort, 語</text:p>"))
          .value();
  EXPECT_EQ(text, "Title\n\ntwo  spaces\nline\n\na\tb too\n\nWort, 語\n");
}

TEST(DocumentTextTest, EBooksGiveTheirChaptersInTheOrderOfReading) {
  const std::string text =
      document_text(DocumentKind::epub,
                    epub("<html><head><title>no</title></head><body><h1>One</h1>\n<p>It  was\na <b>dark</b> night</p>"
                         "<ul><li>x</li><li>y</li></ul><pre>a  b\n c</pre></body></html>",
                         "<html><body><p>Two&nbsp;words</p></body></html>"))
          .value();
  EXPECT_EQ(text, "One\n\nIt was a dark night\n\nx\ny\n\na  b\n c\n\nTwo\u00A0words\n");
}

TEST(DocumentTextTest, EBooksNameTheirChaptersByAddressesAndMayHavePictures) {
  const std::string book =
      make_zip({{"META-INF/container.xml", "<container><rootfile full-path='a/b/book.opf'/></container>"},
                {"a/b/book.opf",
                 "<package><item id='p' href='p.png' media-type='image/png'/>"
                 "<item id='c' href='../one%20two.xhtml#start' media-type='application/xhtml+xml'/>"
                 "<itemref idref='p'/><itemref idref='c'/></package>"},
                {"a/one two.xhtml", "<html><table><tr><td>x</td><td>y</td></tr><tr><td>z</td></tr></table></html>"}});
  EXPECT_EQ(document_text(DocumentKind::epub, book).value(), "x\ty\nz\n");
}

TEST(DocumentTextTest, AMissingChapterIsAnErrorThatNamesIt) {
  const std::string book =
      make_zip({{"META-INF/container.xml", "<container><rootfile full-path='book.opf'/></container>"},
                {"book.opf", "<package><item id='c' href='gone.xhtml'/><itemref idref='c'/></package>"}});
  const Result<std::string> text = document_text(DocumentKind::epub, book);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().kind, ErrorKind::corruption);
  EXPECT_NE(text.error().message.find("gone.xhtml"), std::string::npos) << text.error().message;
}

TEST(DocumentTextTest, WhatIsNoDocumentIsAnError) {
  for (const DocumentKind kind : {DocumentKind::pdf, DocumentKind::docx, DocumentKind::odt, DocumentKind::epub}) {
    for (const std::string& bytes : {std::string(), std::string("plain text"), make_zip({{"other.txt", "x"}})})
      EXPECT_FALSE(document_text(kind, bytes).ok()) << to_string(kind);
  }
}

TEST(DocumentTextTest, TooMuchTextIsRefused) {
  const std::string document = docx("<w:p><w:r><w:t>" + std::string(2'000, 'x') + "</w:t></w:r></w:p>");
  EXPECT_EQ(document_text(DocumentKind::docx, document, {.text_bytes = 1'000}).error().kind,
            ErrorKind::invalid_argument);
  EXPECT_EQ(document_text(DocumentKind::docx, document, {.unpacked_bytes = 1'000}).error().kind,
            ErrorKind::invalid_argument);
}

TEST(DocumentTextTest, PdfGivesItsText) {
  const std::string stream = "BT /F1 12 Tf 72 720 Td (Drawers keep words) Tj ET";
  const std::string pdf =
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
      "4 0 obj<</Length " +
      std::to_string(stream.size()) + ">>stream\n" + stream +
      "\nendstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 "
      "R>>\n%%EOF\n";
  const Result<std::string> text = document_text(DocumentKind::pdf, pdf);
  if (!text.ok() && text.error().kind == ErrorKind::unavailable) GTEST_SKIP() << text.error().message;
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_NE(text->find("Drawers keep words"), std::string::npos) << *text;
  EXPECT_EQ(document_text(DocumentKind::pdf, "%PDF-1.4\nrubbish").error().kind, ErrorKind::corruption);
}

}  // namespace
}  // namespace loci
