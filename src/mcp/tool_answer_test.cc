#include "mcp/tool_answer.h"

#include <string>

#include <gtest/gtest.h>

#include "mcp/protocol.h"

namespace loci::mcp {
namespace {

std::string text_of(const Json& result) { return result["content"][0]["text"].get<std::string>(); }

TEST(ToolAnswerTest, ListsEndWhereTheBudgetDoesAndSayHowManyWereLeftOut) {
  Json body = {{"drawers", 5'000}, {"wings", Json::array()}};
  for (int wing = 0; wing < 3'000; ++wing) {
    Json rooms = Json::array();
    for (int room = 0; room < 2; ++room) rooms.push_back({{"room", "room " + std::to_string(room)}, {"drawers", 1}});
    body["wings"].push_back({{"wing", "wing " + std::to_string(wing)}, {"rooms", std::move(rooms)}});
  }
  const Json result = plain_result(std::move(body));
  const Json& shown = result["structuredContent"];
  EXPECT_LT(result.dump().size(), 30'000U);
  EXPECT_GT(shown["wings"].size(), 20U);
  EXPECT_EQ(shown["wings"][0]["rooms"].size(), 2U);
  EXPECT_EQ(shown["wings_left_out"], 3'000 - shown["wings"].size());
  EXPECT_EQ(shown["drawers"], 5'000);
}

TEST(ToolAnswerTest, OneWingWithManyRoomsLeavesSpaceForOthers) {
  Json rooms = Json::array();
  for (int room = 0; room < 5'000; ++room) rooms.push_back({{"room", std::to_string(room)}, {"drawers", 1}});
  Json body = {{"wings", Json::array({{{"wing", "a"}, {"rooms", rooms}}, {{"wing", "b"}, {"rooms", rooms}}})}};
  limit_lists(body, 8'000);
  ASSERT_EQ(body["wings"].size(), 2U);
  EXPECT_EQ(body["wings"][1]["rooms_left_out"], 5'000 - body["wings"][1]["rooms"].size());
}

TEST(ToolAnswerTest, OfManyMissingIdsTheFirstAreNamed) {
  Json missing = Json::array();
  for (int i = 0; i < 5'000; ++i) missing.push_back("missing-" + std::to_string(i));
  const Json result = drawers_result("get", "drawers", {{"drawers", Json::array()}, {"missing", missing}});
  EXPECT_LT(result.dump().size(), 20'000U);
  const Json& shown = result["structuredContent"];
  EXPECT_EQ(shown["missing_left_out"], 5'000 - shown["missing"].size());
  EXPECT_NE(text_of(result).find("more"), std::string::npos);
}

}  // namespace
}  // namespace loci::mcp
