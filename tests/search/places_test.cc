// Questions that name a wing or a room, over a real store.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "search/hybrid_search.h"
#include "store/embedded/embedded_backend.h"

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PlacesTest : public testing::Test {
 protected:
  void SetUp() override {
    drawers_ =
        *backend_->collection(PalaceRef::at(folder_.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
  }

  void add(const std::string& id, const std::string& text, const std::string& wing, const std::string& room) {
    const Metadata metadata = {{"wing", wing}, {"room", room}};
    ASSERT_TRUE(drawers_->add(std::vector{Record{.id = id, .document = text, .metadata = metadata}}).ok());
  }

  SearchAnswer ask(std::string query, std::vector<SearchStage> without = {}) const {
    Result<SearchAnswer> answer =
        hybrid_search(*drawers_, nullptr, {.query = std::move(query), .without = std::move(without)});
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? std::move(*answer) : SearchAnswer{};
  }
  std::string first(std::string query, std::vector<SearchStage> without = {}) const {
    const SearchAnswer answer = ask(std::move(query), std::move(without));
    return answer.hits.empty() ? "" : answer.hits.front().record.id;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
  std::shared_ptr<Collection> drawers_;
};

TEST_F(PlacesTest, WhatIsInTheNamedWingOrRoomComesFirst) {
  add("bank", "we decide on retry limits: retry limits are three", "bank", "api");
  add("shop", "on retry limits it was decided that they are five", "shop", "api");
  add("shop web", "on retry limits it was said that there are none", "shop", "web-client");
  const std::string question = "what did we decide in the shop wing about retry limits";
  EXPECT_EQ(first(question), "shop");
  EXPECT_EQ(first(question, {SearchStage::places}), "bank");
  EXPECT_EQ(first("retry limits in wing bank"), "bank");
  EXPECT_EQ(first("retry limits, room \"web client\""), "shop web") << "however the name is spelled";
  EXPECT_EQ(first("what was decided about retry limits in the api room of the Shop wing?"), "shop");
  const SearchAnswer answer = ask(question);
  EXPECT_THAT(answer.facts.places.wings, ElementsAre("shop"));
  EXPECT_GT(answer.hits.front().parts.place, 0);
  EXPECT_EQ(answer.hits.back().parts.place, 0);
}

TEST_F(PlacesTest, WhatIsInTheNamedWingIsFoundBelowManyOthers) {
  for (int i = 0; i < 400; ++i) add("n" + std::to_string(i), "retry limits retry " + std::to_string(i), "bank", "api");
  add("shop", "after many words about other things somebody set a limit to how often we retry", "shop", "api");
  EXPECT_EQ(first("retry limits of the shop wing"), "shop");
}

TEST_F(PlacesTest, AnEqualTextIsShownInTheNamedWing) {
  add("a", "retry limits are five", "bank", "api");
  add("b", "retry limits are five", "shop", "api");
  const SearchAnswer answer = ask("retry limits in the shop wing");
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_EQ(answer.hits[0].record.id, "b");
  EXPECT_THAT(answer.hits[0].also_in, ElementsAre("a"));
}

TEST_F(PlacesTest, AWordOfAnOrdinaryQuestionIsNoPlace) {
  add("a", "the chairs of the living room are green", "home", "notes");
  add("b", "the shop has green chairs", "shop", "how_to");
  EXPECT_THAT(ask("how to paint the green chairs of the shop").facts.places.wings, IsEmpty());
  EXPECT_THAT(ask("how to paint the green chairs of the shop").facts.places.rooms, IsEmpty());
  EXPECT_TRUE(ask("which chairs are in the living room").facts.places.is_empty());
}

TEST_F(PlacesTest, ANameOfSeveralWordsIsAPlaceByItself) {
  add("a", "limits are five", "bank", "payment_gateway");
  add("b", "limits are five or six", "bank", "notes");
  EXPECT_THAT(ask("limits of the payment gateway").facts.places.rooms, ElementsAre("payment_gateway"));
}

}  // namespace
}  // namespace loci
