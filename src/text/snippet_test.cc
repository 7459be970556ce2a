#include "text/snippet.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/query_words.h"

namespace loci {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> highlighted(std::string_view document, std::string_view query) {
  std::vector<std::string> found;
  for (const Highlight& highlight : highlights(document, query_terms(query))) {
    found.emplace_back(document.substr(highlight.start, highlight.end - highlight.start));
  }
  return found;
}

TEST(HighlightsTest, OtherFormsOfAWordMatch) {
  EXPECT_THAT(highlighted("He runs, she ran; RUNNING shoes.", "run"), ElementsAre("runs", "RUNNING"));
}

TEST(HighlightsTest, NothingMatchesNothing) {
  EXPECT_THAT(highlighted("some text", ""), IsEmpty());
  EXPECT_THAT(highlighted("", "text"), IsEmpty());
  EXPECT_THAT(highlighted("some text", "other"), IsEmpty());
}

TEST(HighlightsTest, AnIdentifierMatchesHoweverItIsWritten) {
  EXPECT_THAT(highlighted("call parseHttpHeader() or parse_http_header", "parse-http-header"),
              ElementsAre("parseHttpHeader", "parse_http_header"));
  EXPECT_THAT(highlighted("we use GraphQL", "graphql"), ElementsAre("GraphQL"));
}

TEST(HighlightsTest, APartOfAnIdentifierMatchesAlone) {
  EXPECT_THAT(highlighted("call parseHttpHeader()", "header"), ElementsAre("Header"));
}

TEST(HighlightsTest, AQuotedPhraseMatchesOnlyInARow) {
  EXPECT_THAT(highlighted("memory of a palace; a memory palace", "\"memory palace\""), ElementsAre("memory palace"));
}

TEST(HighlightsTest, PairsOfCharactersMergeToARun) {
  EXPECT_THAT(highlighted("私は東京都に行く", "東京都"), ElementsAre("東京都"));
}

TEST(HighlightsTest, OneCharacterMatchesWhereverItStands) {
  EXPECT_THAT(highlighted("東京 関東 東", "東"), ElementsAre("東", "東", "東"));
}

TEST(SnippetTest, AShortDocumentIsShownWhole) { EXPECT_EQ(snippet("a short text", {}, 100), "a short text"); }

TEST(SnippetTest, SpacesAndControlCharactersBecomeOneSpace) {
  EXPECT_EQ(snippet("  a\n\n\tb\x1B[31m\u0085"
                    "c\u3000"
                    "d  ",
                    {}, 100),
            "a b [31m c d");
}

TEST(SnippetTest, WithoutAMatchTheBeginningIsShown) {
  EXPECT_EQ(snippet("one two three four five six seven", query_terms("zebra"), 20), "one two three…");
}

TEST(SnippetTest, ShowsThePlaceThatMatched) {
  std::string document;
  for (int count = 0; count < 500; ++count) document += "filler words here. ";
  document += "The zebra crossed the road. ";
  for (int count = 0; count < 500; ++count) document += "filler words here. ";
  const std::string shown = snippet(document, query_terms("zebras"), 80);
  EXPECT_THAT(shown, HasSubstr("The zebra crossed"));
  EXPECT_TRUE(shown.starts_with("…") && shown.ends_with("…")) << shown;
}

TEST(SnippetTest, PrefersThePlaceWithMostDifferentTerms) {
  const std::string gap(200, '.');
  const std::string document = "zebra zebra zebra " + gap + " a zebra and a lion " + gap + " lion";
  EXPECT_THAT(snippet(document, query_terms("zebra lion"), 60), HasSubstr("a zebra and a lion"));
}

TEST(SnippetTest, CutsBetweenWords) {
  const std::string shown = snippet("alpha beta gamma delta epsilon zeta eta theta", query_terms("epsilon"), 30);
  EXPECT_EQ(shown, "…epsilon zeta eta…");
}

TEST(SnippetTest, CutsTextWithoutSpacesBetweenCharacters) {
  std::string document;
  for (int count = 0; count < 100; ++count) document += "字";
  for (std::size_t size = 12; size < 40; ++size) EXPECT_LE(snippet(document, {}, size).size(), size);
}

TEST(SnippetTest, AMatchAtTheEndIsShownWithWhatComesBefore) {
  const std::string document = "one two three four five six seven eight nine ten";
  EXPECT_THAT(snippet(document, query_terms("ten"), 25), HasSubstr("nine ten"));
}

}  // namespace
}  // namespace loci
