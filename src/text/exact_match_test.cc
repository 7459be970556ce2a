#include "text/exact_match.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

ExactMatch match(std::string_view term, std::string_view text) { return ExactMatcher(term).find(text); }

TEST(ExactMatchTest, ATermIsThereLetterByLetter) {
  EXPECT_EQ(match("parse_http_header", "calls parse_http_header(body)."), ExactMatch::whole);
  EXPECT_EQ(match("parse_http_header", "calls parseHttpHeader(body)."), ExactMatch::none);
  EXPECT_EQ(match("running testing", "we run tests"), ExactMatch::none);
  EXPECT_EQ(match("", "anything"), ExactMatch::none);
  EXPECT_EQ(match("a", ""), ExactMatch::none);
}

TEST(ExactMatchTest, CapitalsDoNotCountInAnyScript) {
  EXPECT_EQ(match("enospc", "write: ENOSPC"), ExactMatch::whole);
  EXPECT_EQ(match("Зимний сад", "В ЗИМНИЙ САД!"), ExactMatch::whole);
  EXPECT_EQ(match("ÖL AM RAD", "mit öl am rad"), ExactMatch::whole);
}

TEST(ExactMatchTest, SpacesAndBreaksOfLinesAreOne) {
  EXPECT_EQ(match("silver heron flew", "a silver\n   heron\tflew"), ExactMatch::whole);
  EXPECT_EQ(match(" silver  heron ", "silver heron"), ExactMatch::whole);
  EXPECT_EQ(match("silver heron", "silver\u00A0heron"), ExactMatch::whole);
  EXPECT_EQ(match("silver heron", "silverheron"), ExactMatch::none);
}

TEST(ExactMatchTest, AWordHasEnds) {
  EXPECT_EQ(match("the build hang", "the build hangs"), ExactMatch::none);
  EXPECT_EQ(match("139264", "1392640 and 139264"), ExactMatch::whole) << "a later place may be better";
  EXPECT_EQ(match("retry", "max_retry"), ExactMatch::none);
  EXPECT_EQ(match("E0308", "(E0308)."), ExactMatch::whole);
  EXPECT_EQ(match("東京", "昨日東京都で"), ExactMatch::whole) << "nothing tells where a word ends";
}

TEST(ExactMatchTest, PathsAndNamesHaveParts) {
  EXPECT_EQ(match("src/main.cc", "in lib/src/main.cc"), ExactMatch::part);
  EXPECT_EQ(match("src/main.cc", "see src/main.cc.bak"), ExactMatch::part);
  EXPECT_EQ(match(".env", "config.env"), ExactMatch::part);
  EXPECT_EQ(match("src/main.cc", "see ./src/main.cc:12."), ExactMatch::whole);
  EXPECT_EQ(match("--no-verify", "git commit --no-verify"), ExactMatch::whole);
}

}  // namespace
}  // namespace loci
