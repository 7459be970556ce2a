// Documents that are no text files: their text becomes drawers, and what has none is told of.
#include "document/made_zip.h"
#include "tests/ingest/fixture.h"

namespace loci::mining {
namespace {

using DocumentTest = MiningTest;

std::string docx(const std::string& words) {
  return make_zip(
      {{"word/document.xml", "<w:document xmlns:w='w'><w:p><w:r><w:t>" + words + "</w:t></w:r></w:p></w:document>"}});
}

TEST_F(DocumentTest, TheTextOfADocumentBecomesDrawers) {
  write("letter.DOCX", docx("Dear palace, remember the harbour."));
  EXPECT_EQ(mine_project().added, 1U);
  EXPECT_EQ(text_of("letter.DOCX"), "Dear palace, remember the harbour.\n");
  const Metadata metadata = of_source("letter.DOCX").front().metadata;
  EXPECT_EQ(metadata.at("kind"), MetadataValue(std::string("docx")));
  EXPECT_EQ(metadata.at("byte_end"), MetadataValue(std::int64_t{35}));
}

TEST_F(DocumentTest, WhatCannotBeReadOrHasNoTextIsToldOf) {
  write("damaged.docx", "no archive");
  write("empty.docx", docx(" "));
  write("good.docx", docx("Good words"));
  const MineReport report = mine_project();
  EXPECT_EQ(report.passed_over.count(PassReason::damaged), 1U);
  EXPECT_EQ(report.passed_over.count(PassReason::no_text), 1U);
  EXPECT_FALSE(report.passed_over.groups().at(PassReason::damaged).named.front().detail.empty());
  EXPECT_EQ(text_of("good.docx"), "Good words\n");
  EXPECT_EQ(report.files, 1U);
}

TEST_F(DocumentTest, ADocumentThatUnpacksToTooMuchIsToldOf) {
  std::string text;
  text.resize(12'000'000, 'x');
  write("bomb.docx", docx(text));
  EXPECT_EQ(mine_project().passed_over.count(PassReason::too_large), 1U);
  EXPECT_TRUE(all().empty());
}

}  // namespace
}  // namespace loci::mining
