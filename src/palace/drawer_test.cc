#include "palace/drawer.h"

#include <gtest/gtest.h>

#include "palace/fake_collection.h"

namespace loci {
namespace {

constexpr std::int64_t kNow = 1767225600000;  // 2026-01-01T00:00:00Z

Metadata place(const std::string& wing, const std::string& room) { return {{"wing", wing}, {"room", room}}; }

class DrawerTest : public testing::Test {
 protected:
  void SetUp() override {
    drawers_.records = {{.id = "a", .document = "first", .metadata = place("shop", "api")},
                        {.id = "b", .document = "second", .metadata = place("shop", "web")},
                        {.id = "c", .document = "third", .metadata = place("people", "ana")}};
  }

  FakeCollection drawers_;
};

TEST(MakeDrawerTest, KeepsTheTextAndSaysWhereAndWhen) {
  const Record record = make_drawer({.document = " two\nlines ", .wing = "shop", .room = "api"}, kNow).value();
  EXPECT_EQ(record.document, " two\nlines ");
  EXPECT_EQ(record.metadata, (Metadata{{"filed_at", std::string("2026-01-01T00:00:00.000Z")},
                                       {"room", std::string("api")},
                                       {"wing", std::string("shop")}}));
  EXPECT_TRUE(record.id.starts_with("drawer_")) << record.id;
}

TEST(MakeDrawerTest, TwoDrawersGetTwoIds) {
  EXPECT_NE(make_drawer({.document = "x"}, kNow)->id, make_drawer({.document = "x"}, kNow)->id);
}

TEST(MakeDrawerTest, WithoutAPlaceItGoesToTheGeneralOne) {
  const Record record = make_drawer({.document = "x"}, kNow).value();
  EXPECT_EQ(string_value(record.metadata, kWingKey), "general");
  EXPECT_EQ(string_value(record.metadata, kRoomKey), "general");
}

TEST(MakeDrawerTest, MetadataMaySayThePlaceAndTheTime) {
  const Metadata said = {{"wing", std::string("shop")}, {"filed_at", std::string("long ago")}};
  const Record record = make_drawer({.document = "x", .room = "api", .metadata = said}, kNow).value();
  EXPECT_EQ(string_value(record.metadata, kWingKey), "shop");
  EXPECT_EQ(string_value(record.metadata, kFiledAtKey), "long ago");
}

TEST(MakeDrawerTest, TheSourceIsKeptUnderMempalacesName) {
  const Record record = make_drawer({.document = "x", .source = "notes.md"}, kNow).value();
  EXPECT_EQ(string_value(record.metadata, "source_file"), "notes.md");
}

TEST(MakeDrawerTest, BadInputIsRefused) {
  const Metadata other_wing = {{"wing", std::string("b")}};
  const Metadata number_as_room = {{"room", std::int64_t{3}}};
  const NewDrawer bad[] = {
      {.document = ""},
      {.document = " \n\t"},
      {.document = "x", .wing = ""},
      {.document = "x", .room = " "},
      {.document = "x", .room = "a\nb"},
      {.document = "x", .wing = "\xff"},
      {.document = "x", .wing = std::string(600, 'w')},
      {.document = "x", .wing = "a", .metadata = other_wing},
      {.document = "x", .metadata = number_as_room},
      {.document = "x", .id = std::string(10240, 'i')},
      {.document = "x", .id = ""},
      {.document = std::string("a\0b", 3)},
      {.document = "\xff"},
  };
  for (const NewDrawer& drawer : bad) {
    const Result<Record> record = make_drawer(drawer, kNow);
    ASSERT_FALSE(record.ok()) << drawer.document << " " << drawer.wing.value_or("-") << " "
                              << drawer.room.value_or("-");
    EXPECT_EQ(record.error().kind, ErrorKind::invalid_argument);
  }
}

TEST_F(DrawerTest, AnAddedDrawerIsThere) {
  const Record added = add_drawer(drawers_, {.document = "fourth", .id = "d"}, kNow).value();
  EXPECT_EQ(drawers_.records.back(), added);
}

TEST_F(DrawerTest, AnIdIsTakenOnce) {
  const Result<Record> added = add_drawer(drawers_, {.document = "again", .id = "a"}, kNow);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().kind, ErrorKind::already_exists);
}

TEST_F(DrawerTest, DrawersAreFoundInTheOrderAskedFor) {
  const DrawersFound found = find_drawers(drawers_, {"c", "x", "a", "c"}).value();
  ASSERT_EQ(found.drawers.size(), 3U);
  EXPECT_EQ(found.drawers[0].id, "c");
  EXPECT_EQ(found.drawers[1].id, "a");
  EXPECT_EQ(found.drawers[2].id, "c");
  EXPECT_EQ(found.missing, std::vector<std::string>{"x"});
}

TEST_F(DrawerTest, AListCountsTheWholeScope) {
  const DrawerList list = list_drawers(drawers_, {.scope = {.wing = "shop"}, .limit = 1, .offset = 1}).value();
  ASSERT_EQ(list.drawers.size(), 1U);
  EXPECT_EQ(list.drawers[0].id, "b");
  EXPECT_EQ(list.total, 2U);
}

TEST_F(DrawerTest, AListOfOneTextHasNoneThatOnlyContainsIt) {
  for (const char* id : {"e", "f"}) add_drawer(drawers_, {.document = "the same", .wing = "v", .id = id}, kNow).value();
  add_drawer(drawers_, {.document = "not the same", .wing = "v", .id = "g"}, kNow).value();
  const DrawerList list = list_drawers(drawers_, {.limit = 1, .offset = 1, .document = "the same"}).value();
  ASSERT_EQ(list.drawers.size(), 1U);
  EXPECT_EQ(list.drawers[0].id, "f");
  EXPECT_EQ(list.total, 2U);
  EXPECT_EQ(list_drawers(drawers_, {.scope = {.wing = "shop"}, .document = "the same"})->total, 0U);
}

TEST_F(DrawerTest, AnUpdateChangesWhatItNamesOnly) {
  const Record changed = update_drawer(drawers_, {.id = "a", .room = "decisions"}).value();
  EXPECT_EQ(changed.document, "first");
  EXPECT_EQ(changed.metadata, place("shop", "decisions"));
  EXPECT_EQ(update_drawer(drawers_, {.id = "a", .document = "new"})->document, "new");
}

TEST_F(DrawerTest, AnUpdateOfNothingOrOfNobodyIsAnError) {
  EXPECT_EQ(update_drawer(drawers_, {.id = "a"}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(update_drawer(drawers_, {.id = "a", .document = " "}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(update_drawer(drawers_, {.id = "a", .wing = ""}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(update_drawer(drawers_, {.id = "x", .document = "y"}).error().kind, ErrorKind::not_found);
}

TEST_F(DrawerTest, DeleteTakesIdsAndAScope) {
  EXPECT_EQ(delete_drawers(drawers_, {.ids = {"a", "c", "a"}, .scope = {.wing = "shop"}})->deleted, 1U);
  EXPECT_EQ(delete_drawers(drawers_, {.scope = {.wing = "shop"}})->deleted, 1U);
  ASSERT_EQ(drawers_.records.size(), 1U);
  EXPECT_EQ(drawers_.records[0].id, "c");
}

TEST_F(DrawerTest, ADryRunDeletesNothing) {
  EXPECT_EQ(delete_drawers(drawers_, {.scope = {.wing = "shop"}, .dry_run = DryRun::yes})->deleted, 2U);
  EXPECT_EQ(drawers_.records.size(), 3U);
}

TEST_F(DrawerTest, DeleteNeedsASelection) {
  EXPECT_EQ(delete_drawers(drawers_, {}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(drawers_.records.size(), 3U);
}

TEST_F(DrawerTest, AnIdThatIsNotThereKeepsTheOthers) {
  const Result<DeleteReport> report = delete_drawers(drawers_, {.ids = {"a", "x"}});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::not_found);
  EXPECT_NE(report.error().message.find("\"x\""), std::string::npos) << report.error().message;
  EXPECT_EQ(drawers_.records.size(), 3U);
}

}  // namespace
}  // namespace loci
