#include "palace/known_place.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "palace/drawer.h"
#include "palace/fake_collection.h"

namespace loci {
namespace {

using testing::ElementsAre;

FakeCollection some_places() {
  FakeCollection drawers;
  const auto add = [&drawers](std::string wing, std::string room) {
    drawers.records.push_back({.id = std::to_string(drawers.records.size()),
                               .document = "tea",
                               .metadata = {{"wing", std::move(wing)}, {"room", std::move(room)}}});
  };
  add("my_project_x", "back_end");
  add("my_project_x", "general");
  add("My-Shop", "general");
  add("my shop", "Web");
  add("my shop", "api");
  return drawers;
}

TEST(KnownPlaceTest, ANameMeansThePlaceThatIsSpelledOtherwise) {
  const FakeCollection drawers = some_places();
  for (const char* name : {"my-Project.X", "my-project-x", "my_project_x", "MY PROJECT X"}) {
    const KnownPlace place = known_place(drawers, name, "back-end").value();
    EXPECT_EQ(place.wing, "my_project_x") << name;
    EXPECT_EQ(place.room, "back_end") << name;
    EXPECT_FALSE(place.unknown) << name;
  }
}

TEST(KnownPlaceTest, AnExactNameStandsForItselfElseTheOneWithTheMostDrawers) {
  const FakeCollection drawers = some_places();
  EXPECT_EQ(known_place(drawers, "My-Shop", std::nullopt)->wing, "My-Shop");
  EXPECT_EQ(known_place(drawers, "my_shop", std::nullopt)->wing, "my shop");
  EXPECT_EQ(known_place(drawers, std::nullopt, "web")->room, "Web");
}

TEST(KnownPlaceTest, AnUnknownNameStaysAndThoseThatThereAreAreTold) {
  const FakeCollection drawers = some_places();
  const KnownPlace wing = known_place(drawers, "bank", "api").value();
  EXPECT_EQ(wing.wing, "bank");
  ASSERT_TRUE(wing.unknown);
  EXPECT_EQ(wing.unknown->kind, PlaceKind::wing);
  EXPECT_THAT(wing.unknown->known, ElementsAre("My-Shop", "my shop", "my_project_x"));
  const KnownPlace room = known_place(drawers, "my-project-x", "api").value();
  ASSERT_TRUE(room.unknown);
  EXPECT_EQ(room.unknown->kind, PlaceKind::room);
  EXPECT_THAT(room.unknown->known, ElementsAre("back_end", "general"));
  EXPECT_FALSE(known_place(drawers, "…", std::nullopt)->wing == "my shop") << "a name without letters is like no other";
}

TEST(KnownPlaceTest, DrawersJoinAPlaceThatIsSpelledOtherwise) {
  FakeCollection drawers = some_places();
  const Record added = add_drawer(drawers, {.document = "tea", .wing = "my-project.x", .room = "back-end"}, 0).value();
  EXPECT_EQ(string_value(added.metadata, "wing"), "my_project_x");
  EXPECT_EQ(string_value(added.metadata, "room"), "back_end");
  const Record other = add_drawer(drawers, {.document = "tea", .wing = "Bank", .room = "back-end"}, 0).value();
  EXPECT_EQ(string_value(other.metadata, "wing"), "Bank");
  EXPECT_EQ(string_value(other.metadata, "room"), "back-end") << "of another wing";
  const Record moved = update_drawer(drawers, {.id = other.id, .wing = "MY PROJECT X"}).value();
  EXPECT_EQ(string_value(moved.metadata, "wing"), "my_project_x");
}

}  // namespace
}  // namespace loci
