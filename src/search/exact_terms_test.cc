#include "search/exact_terms.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ExactTermsTest, QuotedPhrasesAndIdentifiersAreExactTerms) {
  EXPECT_THAT(exact_terms_in("Why does \"the build hangs\" show E0308 in src/net/http.cc, (kRetryLimit)?"),
              ElementsAre("the build hangs", "E0308", "src/net/http.cc", "kRetryLimit"));
}

TEST(ExactTermsTest, CodesAreWrittenAsNoWordIs) {
  for (const char* word :
       {"v1.2.3", "std::vector", "user@example.com", "a_b", "GraphQL", "sha256", "main.cc", "C:\\x", "ENOSPC", "139264",
        "10.0.0.7", "--no-verify", "-Wall", ".env", "text-embedding-ada", "gpt-4", "$HOME"})
    EXPECT_TRUE(is_code(word)) << word;
}

TEST(ExactTermsTest, ProseIsWords) {
  EXPECT_THAT(exact_terms_in("When did Anna's plan change, in 2023 or \""), IsEmpty());
  for (const char* word : {"don't", "2023", "1999", "123", "Hello", "OK", "I", "e.", "a1", "-", "--", "", "well-known",
                           "silver-heron", "state-of-the-art", "state-of-", "3.50"})
    EXPECT_FALSE(is_code(word)) << word;
}

TEST(ExactTermsTest, CapitalsOfAShoutedQuestionSayNothing) {
  EXPECT_THAT(exact_terms_in("WHERE DID ANNA BUY THE KITTEN E0308?"), ElementsAre("E0308"));
  EXPECT_THAT(exact_terms_in("ENOSPC EAGAIN"), ElementsAre("ENOSPC", "EAGAIN"));
}

TEST(ExactTermsTest, ATermBehindManyOthersIsATermToo) {
  std::string question;
  for (int i = 0; i < 20; ++i) question += "absent_" + std::to_string(i) + " ";
  EXPECT_EQ(exact_terms_in(question + "needle_x").back(), "needle_x");
}

}  // namespace
}  // namespace loci
