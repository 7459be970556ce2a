#include "search/speakers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SpeakersTest, ANameBecomesTheOneWhoSpeaks) {
  const std::vector<std::string> names = {"Nina"};
  EXPECT_EQ(in_first_person("Where did Nina learn to sail?", names), "Where did I learn to sail?");
  EXPECT_EQ(in_first_person("What is Nina's boat called? Nina’s?", names), "What is my boat called? my?");
  EXPECT_EQ(in_first_person("Nina", names), "I");
}

TEST(SpeakersTest, APartOfAnotherWordIsNoName) {
  const std::vector<std::string> names = {"Ann"};
  EXPECT_EQ(in_first_person("Did Anna or JoAnn plan Ann2 in the Annals?", names),
            "Did Anna or JoAnn plan Ann2 in the Annals?");
  EXPECT_EQ(in_first_person("the annual plan of ann", names), "the annual plan of ann") << "names have a capital";
}

TEST(SpeakersTest, LongerNamesGoFirst) {
  const std::vector<std::string> names = {"Nina Holm", "Nina"};
  EXPECT_EQ(in_first_person("Did Nina Holm call Nina's brother?", names), "Did I call my brother?");
}

TEST(SpeakersTest, SpeakersAreAskedAboutByTheirWholeNameOrTheFirst) {
  EXPECT_THAT(speaker_names({{"speaker", "Nina Holm, Tom"}}), ElementsAre("Nina Holm", "Nina", "Tom"));
}

TEST(SpeakersTest, ARoleIsNoName) {
  EXPECT_THAT(speaker_names({{"speaker", "user, assistant"}, {"role", "user, assistant"}}), IsEmpty());
  EXPECT_THAT(speaker_names({{"speaker", "Assistant"}, {"role", "Assistant"}}), IsEmpty());
  EXPECT_THAT(speaker_names({{"speaker", "bot"}}), IsEmpty());
  EXPECT_THAT(speaker_names({}), IsEmpty());
}

}  // namespace
}  // namespace loci
