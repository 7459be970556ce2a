#include "text/outline.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include <gtest/gtest.h>

#include "text/chunk.h"

namespace loci {
namespace {

// The rank of the break where `what` begins; -1 without one.
int rank_at(const Outline& outline, std::string_view text, std::string_view what) {
  const std::size_t at = text.find(what);
  const auto found = std::find_if(outline.breaks().begin(), outline.breaks().end(),
                                  [&](const Break& place) { return place.byte == at; });
  return found == outline.breaks().end() ? -1 : found->rank;
}

bool is_in_one_chunk(std::string_view text, const TextType& type, std::string_view part) {
  const std::size_t start = text.find(part);
  for (const Chunk& chunk : chunk_text(text, type)) {
    if (chunk.byte_start <= start && start + part.size() <= chunk.byte_end) return true;
  }
  return false;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (; times > 0; --times) all += text;
  return all;
}

struct Opening {
  std::string_view language;
  std::string_view sign;
};

class UnclosedTest : public testing::TestWithParam<Opening> {};

TEST_P(UnclosedTest, WhatIsNeverClosedSwallowsNothing) {
  const std::string text =
      "x " + std::string(GetParam().sign) + " y\n\nfunction a() {\n  b();\n}\n\nfunction c() {\n  d();\n}\n";
  EXPECT_EQ(rank_at(outline_code(text, GetParam().language), text, "function c"), 0);
}

INSTANTIATE_TEST_SUITE_P(Signs, UnclosedTest,
                         testing::Values(Opening{"javascript", "`"}, Opening{"javascript", "/*"},
                                         Opening{"javascript", "'"}, Opening{"javascript", "= /["},
                                         Opening{"javascript", "{"}, Opening{"cpp", "R\"("}, Opening{"cpp", "\""},
                                         Opening{"cpp", "("}, Opening{"cpp", "/*"}, Opening{"rust", "\""},
                                         Opening{"rust", "r#\""}, Opening{"rust", "'a"}, Opening{"python", "\"\"\""},
                                         Opening{"python", "("}, Opening{"shell", "<<EOF"}, Opening{"shell", "'"},
                                         Opening{"php", "<<<X"}, Opening{"go", "`"}, Opening{"csharp", "@\""}));

TEST(CodeOutlineTest, CommentsAndDecoratorsBeginWhatFollows) {
  const std::string text = "import x\n\n# About f.\n@decorated\ndef f():\n    pass\n";
  const Outline outline = outline_code(text, "python");
  EXPECT_EQ(rank_at(outline, text, "# About"), 0);
  EXPECT_EQ(rank_at(outline, text, "@decorated"), -1);
  EXPECT_EQ(rank_at(outline, text, "def f"), -1);
}

TEST(CodeOutlineTest, ANamespaceMakesNothingDeeper) {
  const std::string text = "namespace a {\nnamespace b {\n\nvoid f() {\n  x();\n}\n\nvoid g() {}\n\n}\n}\n";
  const Outline outline = outline_code(text, "cpp");
  EXPECT_EQ(rank_at(outline, text, "void f"), 0);
  EXPECT_EQ(rank_at(outline, text, "void g"), 0);
  EXPECT_EQ(rank_at(outline, text, "  x();"), 3);
}

TEST(CodeOutlineTest, BothSidesOfAConditionMayOpenABlock) {
  const std::string text = "void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n\nvoid g() {}\n";
  EXPECT_EQ(rank_at(outline_code(text, "c"), text, "void g"), 0);
}

TEST(MarkdownOutlineTest, AFenceIsSetApartRatherThanCut) {
  const std::string fence = "```\n" + repeated("a line of code, or of something like it\n\n", 24) + "```\n";
  const std::string text = "# Title\n\n" + repeated("Some words. ", 20) + "\n\n" + fence + "\nAnd then.\n";
  EXPECT_TRUE(is_in_one_chunk(text, {TextKind::markdown, ""}, fence));
}

TEST(MarkdownOutlineTest, ATableIsCutBetweenRowsAlone) {
  const std::string table = "| a | b |\n|---|---|\n" + repeated("| Some words. More words. | And others. |\n", 100);
  for (const Chunk& chunk : chunk_text(table, {TextKind::markdown, ""})) EXPECT_EQ(table[chunk.byte_start], '|');
}

TEST(MarkdownOutlineTest, AHeadingStaysWithWhatFollowsIt) {
  const std::string text = "## One\n\nWords.\n\n## Two\n\n- a\n- b\n";
  const Outline outline = outline_markdown(text);
  EXPECT_EQ(rank_at(outline, text, "## Two"), 1);
  EXPECT_GT(rank_at(outline, text, "- a"), rank_at(outline, text, "## Two"));
  EXPECT_GE(rank_at(outline, text, "Words"), 9);
}

// It is read in pieces, in which lists, quotes and fences begin and do not end.
TEST(MarkdownOutlineTest, ALongTextHasTheBreaksOfItsParts) {
  const std::string part =
      "# One\n\nText that tells:\n\n- item\n\n  > quoted\n  > - deep\n\n    more\n- last\n\n```c\nint a;\n\nint b;\n"
      "```\n\nTitle\n=====\n\n[name]: http://there\n\n<div>\nhtml\n</div>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";
  std::string text;
  for (int i = 0; i < 1000; ++i) text += part;
  Outline expected({});
  for (std::size_t at = 0; at < text.size(); at += part.size()) {
    expected.add(at, 0);
    expected.add_part(outline_markdown(part), at, 0);
  }
  EXPECT_EQ(outline_markdown(text).breaks(), expected.breaks());
}

TEST(MarkdownOutlineTest, ALineOfMarksAndAVeryLongLineAreWhatTheirEndsSay) {
  for (const std::string& line : {std::string(10'000, '>') + " # a", "- a " + std::string(100'000, 'x'),
                                  "<!-- " + std::string(100'000, 'x') + " -->"}) {
    const std::string text = "# One\n\n" + line + "\n\n# Two\n\nb\n";
    EXPECT_EQ(rank_at(outline_markdown(text), text, "# Two"), 0) << line.substr(0, 10);
  }
}

TEST(JsonOutlineTest, ElementsOfOneLongLineAreFound) {
  const std::string text = R"({"a":[1,2],"b":{"c":"x,\"y"}})";
  const Outline outline = outline_json(text);
  EXPECT_EQ(rank_at(outline, text, "\"b\""), 1);
  EXPECT_EQ(rank_at(outline, text, "\"c\""), 2);
  EXPECT_EQ(rank_at(outline, text, "\\\"y"), -1);
}

TEST(CsvOutlineTest, AQuotedLineEndEndsNoRow) {
  const std::string text = "a,\"b\nc\"\nd,e\n";
  const Outline outline = outline_csv(text);
  EXPECT_EQ(outline.breaks(), (std::deque<Break>{{static_cast<std::uint32_t>(text.find("d,e")), 0}}));
}

TEST(OutlineTest, OfTwoBreaksAtOnePlaceTheStrongerStays) {
  Outline outline({});
  outline.add(0, 1);
  outline.add(5, 3);
  outline.add(5, 1);
  outline.add(9, 99);
  EXPECT_EQ(outline.breaks(), (std::deque<Break>{{5, 1}, {9, kRanks - 1}}));
}

}  // namespace
}  // namespace loci
