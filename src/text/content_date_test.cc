#include "text/content_date.h"

#include <string>

#include <gtest/gtest.h>

namespace loci {
namespace {

std::string date_of_name(std::string_view name) {
  const auto date = content_date(name, "");
  if (!date) return "none";
  EXPECT_EQ(date->source, DateSource::file_name);
  return date->date;
}

std::string date_of_text(std::string_view text) {
  const auto date = content_date("notes.md", text);
  return date ? std::string(to_string(date->source)) + " " + date->date : "none";
}

TEST(ContentDateTest, FileNamesSayTheDate) {
  EXPECT_EQ(date_of_name("2026-03-09.md"), "2026-03-09");
  EXPECT_EQ(date_of_name("/journal/2025-01-01/standup 2026_03_09.md"), "2026-03-09");
  EXPECT_EQ(date_of_name("IMG_20260309_120000.txt"), "2026-03-09");
  EXPECT_EQ(date_of_name("meeting-9-march.txt"), "none");
  EXPECT_EQ(date_of_name("Notes of 9 March 2026.txt"), "2026-03-09");
}

TEST(ContentDateTest, NumbersThatAreNoDatesAreLeftAlone) {
  EXPECT_EQ(date_of_name("v1.2026.03.txt"), "none");
  EXPECT_EQ(date_of_name("20261309.txt"), "none") << "no such month";
  EXPECT_EQ(date_of_name("2026-02-29.txt"), "none") << "no leap year";
  EXPECT_EQ(date_of_name("2024-02-29.txt"), "2024-02-29");
  EXPECT_EQ(date_of_name("120260309.txt"), "none") << "too long a number";
  EXPECT_EQ(date_of_name("2026-03-091.txt"), "none");
  EXPECT_EQ(date_of_name("3026-03-09.txt"), "none");
}

TEST(ContentDateTest, FrontMatterComesBeforeTheText) {
  EXPECT_EQ(date_of_text("---\ntitle: Since 2020-01-01\ndate: 2026-03-09T10:00:00Z\n---\n"), "front_matter 2026-03-09");
  EXPECT_EQ(date_of_text("+++\r\ndate = \"2026-03-09\"\r\n+++\r\n"), "front_matter 2026-03-09");
  EXPECT_EQ(date_of_text("---\nupdate: 2026-03-09\n---\n"), "first_lines 2026-03-09");
}

TEST(ContentDateTest, ARuleIsNoFrontMatter) {
  EXPECT_EQ(date_of_text("---\nwords\ndate: 2026-03-09\n"), "first_lines 2026-03-09");
}

TEST(ContentDateTest, TheFirstTenLinesAreRead) {
  EXPECT_EQ(date_of_text("# Minutes\n\nHeld on March 9, 2026 in Rome, after 1 May 2025\n"), "first_lines 2026-03-09");
  EXPECT_EQ(date_of_text("Berlin, 9. März\nBerlin, den 09.03.2026"), "first_lines 2026-03-09");
  EXPECT_EQ(date_of_text("On 9 Sept 2026"), "first_lines 2026-09-09");
  EXPECT_EQ(date_of_text("\n\n\n\n\n\n\n\n\n\n2026-03-09"), "none");
  EXPECT_EQ(date_of_text("03/09/2026"), "none") << "March or September";
  EXPECT_EQ(date_of_text("20260309"), "none") << "in a text any number may look like this";
  EXPECT_EQ(date_of_text(""), "none");
}

}  // namespace
}  // namespace loci
