#include "document/prose.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(ProseTest, SeparatesParagraphsByOneEmptyLine) {
  Prose prose(1'000);
  prose.end_paragraph();
  prose.add("One");
  prose.add(" more");
  prose.end_paragraph();
  prose.end_line();
  prose.end_paragraph();
  prose.add("Two");
  prose.end_line();
  prose.add("lines");
  prose.end_paragraph();
  EXPECT_EQ(std::move(prose).take(), "One more\n\nTwo\nlines\n");
}

TEST(ProseTest, TheGreatestOfSeveralBreaksCounts) {
  Prose prose(1'000);
  prose.end_cell();
  prose.add("a");
  prose.end_word();
  prose.add("b");
  prose.end_word();
  prose.end_cell();
  EXPECT_TRUE(prose.is_after_break());
  prose.add("c");
  EXPECT_FALSE(prose.is_after_break());
  prose.end_line();
  prose.end_cell();
  prose.add("d");
  EXPECT_EQ(std::move(prose).take(), "a b\tc\nd\n");
}

TEST(ProseTest, SaysWhenItIsFull) {
  Prose prose(10);
  prose.add("12345");
  EXPECT_FALSE(prose.is_over_limit());
  prose.add("67890");
  EXPECT_TRUE(prose.is_over_limit());
}

}  // namespace
}  // namespace loci
