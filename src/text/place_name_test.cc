#include "text/place_name.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(PlaceNameTest, IsInLowerCaseWithUnderscoresBetweenWords) {
  EXPECT_EQ(place_name_from("My-App 2"), "my_app_2");
  EXPECT_EQ(place_name_from("already_fine"), "already_fine");
  EXPECT_EQ(place_name_from("  --a...b--  "), "a_b");
}

TEST(PlaceNameTest, KeepsLettersOfEveryScript) {
  EXPECT_EQ(place_name_from("Überblick"), "überblick");
  EXPECT_EQ(place_name_from("東京 メモ"), "東京_メモ");
  EXPECT_EQ(place_name_from("Москва"), "москва");
}

TEST(PlaceNameTest, IsEmptyWhenNothingIsLeft) {
  EXPECT_EQ(place_name_from("…"), "");
  EXPECT_EQ(place_name_from(""), "");
}

TEST(PlaceNameTest, OfItselfIsItself) {
  for (const char* text : {"My-App 2", "Überblick", "a__b", "ТЕСТ-1"}) {
    const std::string name = place_name_from(text);
    EXPECT_EQ(place_name_from(name), name);
  }
}

}  // namespace
}  // namespace loci
