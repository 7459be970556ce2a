#include "base/count_characters.h"

#include <string>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(CountCharactersTest, CountsCharactersAndNotBytes) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("東京都"), 3U);
  EXPECT_EQ(count_characters("Grüße"), 5U);
}

TEST(CountCharactersTest, CountsLongTextsWhereverACharacterBegins) {
  std::string text;
  for (std::size_t count = 0; count < 40; ++count, text += count % 3 == 0 ? "東" : "x") {
    EXPECT_EQ(count_characters(text), count) << text;
  }
}

}  // namespace
}  // namespace loci
