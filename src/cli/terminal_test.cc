#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

constexpr Terminal kAnyFile = {};
constexpr Terminal kNarrowScreen = {.is_terminal = true, .has_colour = false, .can_redraw = true, .width = 30};
constexpr Terminal kColour = {.is_terminal = true, .has_colour = true, .can_redraw = true, .width = 30};

TEST(TerminalTest, WidthsAreColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("Grüße"), 5U);
  EXPECT_EQ(display_width("東京"), 4U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("🏛"), 2U);
}

TEST(TerminalTest, CuttingKeepsCharactersWhole) {
  EXPECT_EQ(cut_to_width("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to_width("東京都", 4), "東…");
  EXPECT_EQ(cut_to_width("abc", 0), "");
  EXPECT_EQ(pad_to_width("東", 4), "東  ");
  EXPECT_EQ(pad_to_width("long", 2), "long");
}

TEST(TerminalTest, StoredTextCannotDriveTheTerminal) {
  EXPECT_EQ(safe_text(kNarrowScreen, "a\x1b[31mred\x07\n\tb\r"), "a\\x1b[31mred\\x07\n\tb\\x0d");
  EXPECT_EQ(safe_text(kNarrowScreen,
                      "\xC2\x9B"
                      "31m"),
            "\\x9b31m");  // CSI as one character
  EXPECT_EQ(safe_text(kNarrowScreen,
                      "\xE2\x80\xAE"
                      "abc"),
            "\\u202eabc");  // turns the text around
  EXPECT_EQ(safe_text(kNarrowScreen, "\xff"), "\\xff");
  EXPECT_EQ(safe_text(kNarrowScreen, "Grüße 東京 🏛"), "Grüße 東京 🏛");
}

TEST(TerminalTest, AFileGetsTheTextAsItIs) { EXPECT_EQ(safe_text(kAnyFile, "a\x1b[31m\r\xff"), "a\x1b[31m\r\xff"); }

TEST(TerminalTest, OneLineIsOneLineEverywhere) { EXPECT_EQ(one_line("a\nb\tc\x1b"), "a b c\\x1b"); }

TEST(TerminalTest, StylesNeedColour) {
  EXPECT_EQ(styled(kColour, Style::bold, "x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(styled(kNarrowScreen, Style::bold, "x"), "x");
}

TEST(TerminalTest, WrapsAtSpaces) {
  EXPECT_EQ(wrap(kNarrowScreen, "one two three four five six seven eight", 4),
            "    one two three four five\n    six seven eight\n");
  EXPECT_EQ(wrap(kNarrowScreen, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0),
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nxxxxxxxxxx\n");
  EXPECT_EQ(wrap(kNarrowScreen, "a\n\nb", 1), " a\n \n b\n");
  EXPECT_EQ(wrap(kNarrowScreen, "", 2), "");
}

TEST(TerminalTest, MarksWhatMatchedAlsoAcrossLines) {
  EXPECT_EQ(wrap_with_matches(kColour, "green tea", {{6, 9}}, 0), "green \x1b[1;4mtea\x1b[0m\n");
  EXPECT_EQ(wrap_with_matches(kColour, "aaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbb cccc", {{29, 33}}, 0),
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\x1b[1;4mbbbb\x1b[0m cccc\n");
}

TEST(TerminalTest, NumbersAreReadable) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(human_size(1), "1 byte");
  EXPECT_EQ(human_size(999), "999 bytes");
  EXPECT_EQ(human_size(1234), "1.2 kB");
  EXPECT_EQ(human_size(139264), "139 kB");
  EXPECT_EQ(human_size(999'999), "1.0 MB");
  EXPECT_EQ(counted(1, "drawer"), "1 drawer");
  EXPECT_EQ(counted(2000, "drawer"), "2,000 drawers");
}

}  // namespace
}  // namespace loci
