// Files that hold many conversations: mined once, cheap the second time, removed with their file.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/ingest/fixture.h"

namespace loci::mining {
namespace {

using ConversationsTest = MiningTest;

constexpr std::string_view kTalks = R"([{"sample_id": "1", "conversation": {
  "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{"speaker": "Ina", "text": "I bought a cello."}],
  "session_2_date_time": "2:00 pm on 9 May, 2023", "session_2": [{"speaker": "Tom", "text": "Play it."}]}}])";

TEST_F(ConversationsTest, AreStoredOnceAndRemovedWithTheirFile) {
  write("talks.json", kTalks);
  const MineReport first = mine_project({.settings = {.mode = "locomo"}});
  EXPECT_EQ(first.drawers.stored, 2U);
  EXPECT_EQ(of_source("talks.json#session=1/session_2").size(), 1U);

  const MineReport second = mine_project({.settings = {.mode = "locomo"}});
  EXPECT_EQ(second.drawers.stored, 0U);
  EXPECT_TRUE(second.gone.empty());
  EXPECT_TRUE(second.left_out.empty());
  EXPECT_EQ(sync({.run = SyncRun::apply}).removed_drawers, 0U);

  write("other.txt", "Something else, so that the folder is not empty.");
  std::filesystem::remove(path_of("talks.json"));
  EXPECT_EQ(sync({.run = SyncRun::apply}).removed_drawers, 2U);
}

}  // namespace
}  // namespace loci::mining
