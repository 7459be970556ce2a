#include "palace/place.h"

#include <gtest/gtest.h>

#include "palace/fake_collection.h"
#include "palace/overview.h"

namespace loci {
namespace {

FakeCollection some_drawers() {
  FakeCollection drawers;
  drawers.records = {
      {.id = "a", .document = "tea", .metadata = {{"wing", std::string("people")}, {"room", std::string("ana")}}},
      {.id = "b", .document = "green tea", .metadata = {{"wing", std::string("people")}, {"room", std::string("bo")}}},
      {.id = "c", .document = "tea time", .metadata = {{"wing", std::string("work")}, {"year", std::int64_t{2020}}}},
      {.id = "d", .document = "nothing"},
  };
  return drawers;
}

TEST(PlaceTest, NamesAreKeptAsPeopleGiveThem) {
  for (const char* name : {"shop", "My Project", "wing_ana", "東京", "a/b", "-"}) {
    EXPECT_TRUE(check_place_name("wing", name).ok()) << name;
  }
}

TEST(PlaceTest, AnEmptyScopeIsAnEmptyFilter) { EXPECT_TRUE(to_filter({}).is_empty()); }

TEST(PlaceTest, AScopeCombinesItsParts) {
  const Filter where = parse_filter(R"({"year": {"$gte": 2020}})").value();
  EXPECT_EQ(to_json(to_filter({.wing = "work"})), to_json(parse_filter(R"({"wing": "work"})").value()));
  const Filter all = to_filter({.wing = "work", .room = "api", .where = where});
  EXPECT_TRUE(
      matches(all, {{"wing", std::string("work")}, {"room", std::string("api")}, {"year", std::int64_t{2021}}}));
  EXPECT_FALSE(
      matches(all, {{"wing", std::string("work")}, {"room", std::string("api")}, {"year", std::int64_t{2019}}}));
  EXPECT_FALSE(matches(all, {{"wing", std::string("work")}, {"year", std::int64_t{2021}}}));
}

TEST(PlaceTest, CountsWhatIsInAScope) {
  const FakeCollection drawers = some_drawers();
  EXPECT_EQ(count_in_scope(drawers, {}).value(), 4U);
  EXPECT_EQ(count_in_scope(drawers, {.wing = "people"}).value(), 2U);
  EXPECT_EQ(count_in_scope(drawers, {.wing = "people", .room = "ana"}).value(), 1U);
  EXPECT_EQ(count_in_scope(drawers, {.room = "bo"}).value(), 1U);
  EXPECT_EQ(count_in_scope(drawers, {.wing = "nobody"}).value(), 0U);
  EXPECT_EQ(count_in_scope(drawers, {.where = parse_filter(R"({"year": {"$gte": 2020}})").value()}).value(), 1U);
  EXPECT_EQ(count_in_scope(drawers, {.wing = "people", .where = parse_filter(R"({"year": 2020})").value()}).value(),
            0U);
}

TEST(OverviewTest, CountsWingsAndTheirRooms) {
  const std::vector<WingCount> wings = count_wings(some_drawers()).value();
  ASSERT_EQ(wings.size(), 3U);
  EXPECT_EQ(wings[0].wing, std::nullopt);
  EXPECT_EQ(wings[1].wing, "people");
  EXPECT_EQ(wings[1].drawers, 2U);
  ASSERT_EQ(wings[1].rooms.size(), 2U);
  EXPECT_EQ(wings[1].rooms[1].room, "bo");
  EXPECT_EQ(wings[2].rooms.at(0).room, std::nullopt);
}

}  // namespace
}  // namespace loci
