#include "palace/place.h"

#include <gtest/gtest.h>

#include "base/clock.h"
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
  for (const char* name : {"shop", "My Project", "wing_ana", "東京", "a.b", "-"}) {
    EXPECT_TRUE(check_place_name("wing", name).ok()) << name;
  }
}

TEST(PlaceTest, NamesLeadNowhere) {
  for (const char* name : {"../x", "../../etc", "a/b", "a\\b", "..", "a..b"}) {
    EXPECT_EQ(check_place_name("wing", name).error().kind, ErrorKind::invalid_argument) << name;
  }
  std::string longest;
  for (std::size_t i = 0; i < kMaxPlaceNameCharacters; ++i) longest += "東";
  EXPECT_TRUE(check_place_name("room", longest).ok()) << "characters count, and not bytes";
  EXPECT_FALSE(check_place_name("room", longest + "x").ok());
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

FakeCollection dated_drawers() {
  FakeCollection drawers;
  const auto add = [&](std::string id, Metadata metadata) {
    drawers.records.push_back({.id = std::move(id), .document = "text", .metadata = std::move(metadata)});
  };
  add("about March",
      {{"content_date", std::string("2026-03-09")}, {"filed_at", std::string("2026-05-01T08:00:00.000Z")}});
  add("filed in April", {{"filed_at", std::string("2026-04-10T12:00:00.000Z")}});
  add("a day later", {{"filed_at", std::string("2026-04-11T00:00:00.000Z")}});
  add("without a time", {});
  return drawers;
}

std::string ids_in(const FakeCollection& drawers, const Scope& scope) {
  std::string ids;
  for (const Record& record : drawers.records) {
    if (matches(to_filter(scope), record.metadata)) ids += (ids.empty() ? "" : ", ") + record.id;
  }
  return ids;
}

TEST(PlaceTest, TheTimeOfADrawerIsItsContentDateElseWhenItWasFiled) {
  const FakeCollection drawers = dated_drawers();
  const auto at = [](std::string_view text) { return from_iso8601(text); };
  EXPECT_EQ(ids_in(drawers, {.since_unix_ms = at("2026-04-01")}), "filed in April, a day later");
  EXPECT_EQ(ids_in(drawers, {.before_unix_ms = at("2026-04-01")}), "about March");
  EXPECT_EQ(ids_in(drawers, {.since_unix_ms = at("2026-04-10"), .before_unix_ms = at("2026-04-11")}), "filed in April");
  EXPECT_EQ(ids_in(drawers, {.before_unix_ms = at("2026-03-09")}), "") << "the day itself is not before it";
  EXPECT_EQ(ids_in(drawers, {.since_unix_ms = at("2026-03-09T15:00:00Z")}), "about March, filed in April, a day later")
      << "a date alone is its whole day";
  EXPECT_EQ(*count_in_scope(drawers, {.since_unix_ms = at("2026-04-01")}), 2U);
}

TEST(PlaceTest, TagsRolesAgentsKindsAndSourcesNarrowAScope) {
  FakeCollection drawers;
  drawers.records = {
      {.id = "a",
       .document = "x",
       .metadata = {{"tags", std::vector<std::string>{"urgent", "api"}}, {"role", std::string("user")}}},
      {.id = "b", .document = "x", .metadata = {{"agent", std::string("claude")}, {"kind", std::string("code")}}},
      {.id = "c", .document = "x", .metadata = {{"source_file", std::string("/home/ana/notes/tea.md")}}},
  };
  EXPECT_EQ(ids_in(drawers, {.tag = "api"}), "a");
  EXPECT_EQ(ids_in(drawers, {.tag = "ap"}), "") << "no part of a tag is one";
  EXPECT_EQ(ids_in(drawers, {.role = "user"}), "a");
  EXPECT_EQ(ids_in(drawers, {.agent = "claude", .kind = "code"}), "b");
  EXPECT_EQ(ids_in(drawers, {.source = "notes/tea"}), "c");
}

}  // namespace
}  // namespace loci
