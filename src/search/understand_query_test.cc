#include "search/understand_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(UnderstandQueryTest, QuotedPhrasesAndIdentifiersAreExactTerms) {
  const QueryFacts facts =
      understand_query("Why does \"the build hangs\" show E0308 in src/net/http.cc, (kRetryLimit)?", std::nullopt);
  EXPECT_THAT(facts.exact_terms, ElementsAre("the build hangs", "E0308", "src/net/http.cc", "kRetryLimit"));
}

TEST(UnderstandQueryTest, OrdinaryWordsAreNot) {
  EXPECT_THAT(understand_query("When did Anna's long-term plan change, in 2023 or \"", std::nullopt).exact_terms,
              IsEmpty());
  for (const char* word : {"don't", "well-known", "2023", "Hello", "NASA", "e.", "a1"})
    EXPECT_FALSE(is_identifier(word)) << word;
  for (const char* word : {"v1.2.3", "std::vector", "user@example.com", "a_b", "GraphQL", "sha256", "main.cc", "C:\\x"})
    EXPECT_TRUE(is_identifier(word)) << word;
}

TEST(UnderstandQueryTest, DatesAreFoundInTheQuestion) {
  ASSERT_EQ(understand_query("What did we decide on 8 May 2023?", std::nullopt).dates.size(), 1U);
  EXPECT_THAT(understand_query("What did we decide yesterday?", std::nullopt).dates, IsEmpty());
  EXPECT_EQ(understand_query("What did we decide yesterday?", 100).dates, (std::vector<DateRange>{{99, 99}}));
}

TEST(UnderstandQueryTest, NearnessFallsOffFasterBeforeThanAfter) {
  const std::vector<DateRange> dates = {{100, 110}};
  EXPECT_DOUBLE_EQ(nearness(dates, 105), 1);
  EXPECT_GT(nearness(dates, 115), nearness(dates, 95));
  EXPECT_GT(nearness(dates, 115), nearness(dates, 130));
  EXPECT_LT(nearness(dates, 400), 1e-6);
  EXPECT_DOUBLE_EQ(nearness({}, 5), 0);
}

}  // namespace
}  // namespace loci
