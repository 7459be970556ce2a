#include "palace/recall.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "palace/fake_collection.h"

namespace loci {
namespace {

constexpr std::int64_t kNoon = 1'769'860'800'000;  // 2026-01-31T12:00:00Z
constexpr std::int64_t kHourMs = 3'600'000;

class RecallTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int hour = 0; hour < 4; ++hour) {
      NewDrawer drawer = {.document = "text " + std::to_string(hour), .wing = hour % 2 == 0 ? "even" : "odd"};
      drawer.source = "/notes/" + std::to_string(hour) + ".md";
      ASSERT_TRUE(add_drawer(drawers_, std::move(drawer), kNoon + hour * kHourMs).ok());
    }
  }
  std::vector<std::string> texts(const RecallRequest& request) {
    const Result<DrawerList> list = recall_drawers(drawers_, request);
    EXPECT_TRUE(list.ok());
    std::vector<std::string> texts;
    for (const Record& drawer : list->drawers) texts.push_back(drawer.document);
    return texts;
  }
  using Texts = std::vector<std::string>;

  FakeCollection drawers_;
};

TEST_F(RecallTest, TheNewestComeFirst) {
  EXPECT_EQ(texts({.limit = 2}), Texts({"text 3", "text 2"}));
  EXPECT_EQ(texts({.limit = 2, .offset = 1}), Texts({"text 2", "text 1"}));
  EXPECT_EQ(texts({.limit = 2, .offset = 3}), Texts({"text 0"}));
  EXPECT_EQ(texts({.limit = 2, .offset = 4}), Texts());
  EXPECT_EQ(texts({.limit = 100}), Texts({"text 3", "text 2", "text 1", "text 0"}));
  EXPECT_EQ(recall_drawers(drawers_, {.limit = 1})->total, 4U);
}

TEST_F(RecallTest, ATimeAPlaceAndASourceNarrowIt) {
  EXPECT_EQ(texts({.since_unix_ms = kNoon + 2 * kHourMs}), Texts({"text 3", "text 2"}));
  EXPECT_EQ(texts({.until_unix_ms = kNoon + kHourMs}), Texts({"text 0"}));
  EXPECT_EQ(texts({.scope = {.wing = "odd"}}), Texts({"text 3", "text 1"}));
  EXPECT_EQ(texts({.source = "2.md"}), Texts({"text 2"}));
}

}  // namespace
}  // namespace loci
