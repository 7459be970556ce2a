#include "text/query_words.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/token_text.h"

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(QueryTermsTest, EachWordIsATermInItsIndexedForm) {
  EXPECT_THAT(query_terms("Running GRÜN"), ElementsAre("run", "grun"));
}

TEST(QueryTermsTest, AWordComesOnce) { EXPECT_THAT(query_terms("cat dog Cats CAT"), ElementsAre("cat", "dog")); }

TEST(QueryTermsTest, CommonWordsAreLeftOut) {
  EXPECT_THAT(query_terms("why did we switch to GraphQL"), ElementsAre("switch", "graphql", "graph ql", "graph"));
}

TEST(QueryTermsTest, CommonWordsStayWhenThereIsNothingElse) {
  EXPECT_THAT(query_terms("to be or not to be"), ElementsAre("not"));
  EXPECT_THAT(query_terms("The Who"), ElementsAre("the", "who"));
}

TEST(QueryTermsTest, ACommonWordIsToldByWhatWasTypedAndNotByItsStem) {
  EXPECT_THAT(query_terms("does THESE cat"), ElementsAre("cat"));
  EXPECT_THAT(query_terms("Doe cat"), ElementsAre("doe", "cat"));
}

TEST(QueryTermsTest, AnIdentifierIsOneWordThenItsPartsInARowThenItsPartsAlone) {
  EXPECT_THAT(query_terms("parse_http_header"),
              ElementsAre("parsehttphead", "pars http header", "pars", "http", "header"));
}

TEST(QueryTermsTest, ShortPartsAndNumbersAreNotAskedForAlone) {
  EXPECT_THAT(query_terms("v1.2.3"), ElementsAre("v1.2.3", "v 1 2 3"));
  EXPECT_THAT(query_terms("net/http.cc"), ElementsAre("nethttpcc", "net http cc", "net", "http"));
}

TEST(QueryTermsTest, HyphenatedProseIsItselfAndItsWords) {
  EXPECT_THAT(query_terms("long-term"), ElementsAre("longterm", "long", "term"));
}

TEST(QueryTermsTest, LanguagesWithSignsAreOnlyThemselves) {
  EXPECT_THAT(query_terms("C++"), ElementsAre("c++"));
  EXPECT_THAT(query_terms("C#"), ElementsAre("c#"));
}

TEST(QueryTermsTest, ARunOfCharactersIsItsPairs) { EXPECT_THAT(query_terms("東京都"), ElementsAre("東京", "京都")); }

TEST(QueryTermsTest, OneCharacterIsABeginning) { EXPECT_THAT(query_terms("東"), ElementsAre("東*")); }

TEST(QueryTermsTest, AnEmojiOfSeveralIsAPhrase) { EXPECT_THAT(query_terms("👩‍💻"), ElementsAre("👩 💻")); }

TEST(QueryTermsTest, AQuotedPhraseIsItsWordsInARow) {
  EXPECT_THAT(query_terms("the \"Memory Palace\" design"), ElementsAre("memori palac", "design"));
  EXPECT_THAT(query_terms("“Memory Palace”"), ElementsAre("memori palac"));
}

TEST(QueryTermsTest, CommonWordsStayInAPhrase) {
  EXPECT_THAT(query_terms("\"The Who\" live"), ElementsAre("the who", "live"));
}

TEST(QueryTermsTest, AnIdentifierInAPhraseMayBeWrittenEitherWay) {
  EXPECT_THAT(query_terms("\"uses GraphQL daily\""), ElementsAre("use graphql daili", "use graph ql daili"));
  EXPECT_THAT(query_terms("\"in C++ now\""), ElementsAre("in c++ now"));
}

TEST(QueryTermsTest, ARunOfCharactersInQuotesIsAPhrase) {
  EXPECT_THAT(query_terms("\"東京都\""), ElementsAre("東京 京都"));
  EXPECT_THAT(query_terms("\"the 東\""), ElementsAre("the 東*"));
}

TEST(QueryTermsTest, AQuoteWithoutItsPartnerIsNoQuote) {
  EXPECT_THAT(query_terms("24\" monitor"), ElementsAre("24", "monitor"));
  EXPECT_THAT(query_terms("“open end"), ElementsAre("open", "end"));
  EXPECT_THAT(query_terms("\"\""), IsEmpty());
}

TEST(QueryTermsTest, OfALongQueryTheMiddleIsLeftOut) {
  std::string query;
  for (int count = 0; count < 1000; ++count)
    query += "w" + std::string(static_cast<std::size_t>(count / 26), 'x') + static_cast<char>('a' + count % 26) + " ";
  const std::vector<std::string> terms = query_terms(query);
  ASSERT_EQ(terms.size(), kMaxQueryWords);
  EXPECT_EQ(terms.front(), "wa");
  EXPECT_EQ(terms.back(), token_text("w" + std::string(38, 'x') + "l"));
}

TEST(QueryTermsTest, AHugeQueryOfOpenQuotesEnds) {
  std::string query;
  for (int count = 0; count < 300'000; ++count) query += "“";
  EXPECT_THAT(query_terms(query), IsEmpty());
}

TEST(Fts5QueryTest, TermsAreQuotedAndJoinedByOr) {
  EXPECT_EQ(fts5_any_word_query("cat GraphQL"),
            "\"\x1F"
            "cat\" OR \"\x1Fgraphql\" OR \"\x1Fgraph ql\" OR \"\x1Fgraph\"");
}

TEST(Fts5QueryTest, ABeginningHasItsStarOutsideTheQuotes) { EXPECT_EQ(fts5_any_word_query("東"), "\"\x1F東\" *"); }

TEST(Fts5QueryTest, NothingToSearchForIsEmpty) {
  for (const char* query : {"", "   ", "???", "\"\"", "*", "\x1F"}) EXPECT_EQ(fts5_any_word_query(query), "") << query;
}

TEST(Fts5QueryTest, SyntaxInTheQueryIsText) {
  EXPECT_EQ(fts5_any_word_query("cat AND NOT dog*"),
            "\"\x1F"
            "cat\" OR \"\x1Fnot\" OR \"\x1F"
            "dog\"");
  EXPECT_EQ(fts5_any_word_query("text : NEAR(a b, 2) ^x - {y}"),
            "\"\x1Ftext\" OR \"\x1Fnear\" OR \"\x1F"
            "b\" OR \"\x1F"
            "2\" OR \"\x1Fx\" OR \"\x1Fy\"");
}

TEST(Fts5QueryTest, TheMarkInAQueryDoesNotLetTextThrough) {
  EXPECT_EQ(fts5_any_word_query("\x1F\x1Fx\"y Running"), "\"\x1Fx\" OR \"\x1Fy\" OR \"\x1Frun\"");
}

}  // namespace
}  // namespace loci
