// What counts besides words and meaning, over a real store.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "search/hybrid_search.h"
#include "store/embedded/embedded_backend.h"
#include "text/date_range.h"

namespace loci {
namespace {

class RankingTest : public testing::Test {
 protected:
  void SetUp() override {
    drawers_ =
        *backend_->collection(PalaceRef::at(folder_.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
  }

  void add(const std::string& id, const std::string& text, const std::string& source, const std::string& date = "") {
    Metadata metadata = {{"source_file", source}};
    if (!date.empty()) metadata.emplace("content_date", date);
    ASSERT_TRUE(drawers_->add(std::vector{Record{.id = id, .document = text, .metadata = metadata}}).ok());
  }

  std::vector<std::string> found(const SearchRequest& request) const {
    std::vector<std::string> ids;
    const Result<SearchAnswer> answer = hybrid_search(*drawers_, nullptr, request);
    EXPECT_TRUE(answer.ok());
    if (!answer.ok()) return ids;
    for (const SearchHit& hit : answer->hits) ids.push_back(hit.record.id);
    return ids;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
  std::shared_ptr<Collection> drawers_;
};

TEST_F(RankingTest, TheDayThatTheQuestionNamesDecidesBetweenEqualTexts) {
  add("a", "Nina talked about a film", "talk 1", "2022-03-01");
  add("b", "Nina talked about her film", "talk 2", "2022-05-03");
  add("c", "Nina talked about some film", "talk 3", "2022-09-09");
  const SearchRequest request{.query = "Which film did Nina talk about on 1 May, 2022?"};
  EXPECT_EQ(found(request).front(), "b");
  SearchRequest without = request;
  without.without = {SearchStage::dates};
  EXPECT_EQ(found(without).front(), "a") << "equal scores come by id";
}

TEST_F(RankingTest, RelativeTimesCountFromTheDayOfTheRequest) {
  add("a", "Nina talked about a film", "talk 1", "2022-03-01");
  add("b", "Nina talked about her film", "talk 2", "2022-05-03");
  SearchRequest request{.query = "Which film did Nina talk about yesterday?"};
  request.today = day_of("2022-05-04");
  EXPECT_EQ(found(request).front(), "b");
}

TEST_F(RankingTest, WithoutAContentDateTheDayOfFilingCounts) {
  const auto add_filed = [this](const std::string& id, const std::string& text, const std::string& filed) {
    const Metadata metadata = {{"filed_at", filed}};
    ASSERT_TRUE(drawers_->add(std::vector{Record{.id = id, .document = text, .metadata = metadata}}).ok());
  };
  add_filed("a", "Nina talked about a film", "2022-03-01T08:00:00.000Z");
  add_filed("b", "Nina talked about her film", "2022-05-03T08:00:00.000Z");
  for (int i = 0; i < 400; ++i) add("n" + std::to_string(i), "Nina film film film", "talk", "2020-01-01");
  EXPECT_EQ(found({.query = "Which film did Nina talk about on 3 May 2022?"}).front(), "b");
}

TEST_F(RankingTest, WhatWasSaidOnTheDayIsFoundBelowManyOthers) {
  for (int i = 0; i < 400; ++i) add("n" + std::to_string(i), "Nina film film film", "talk", "2020-01-01");
  add("then", "They spoke of many long things and in the end Nina named one film among other things", "t2",
      "2022-05-03");
  EXPECT_EQ(found({.query = "Nina film on 3 May 2022", .limit = 5}).front(), "then");
}

TEST_F(RankingTest, SourcesComeOnceEach) {
  add("a1", "the plan for the garden", "a");
  add("a2", "the garden plan again", "a");
  add("b1", "a garden", "b");
  SearchRequest request{.query = "garden plan"};
  request.unit = SearchUnit::sources;
  EXPECT_EQ(found(request).size(), 2U);
  EXPECT_EQ(found({.query = "garden plan"}).size(), 3U);
}

TEST_F(RankingTest, ASourceIsFoundByWordsThatStandInDifferentDrawersOfIt) {
  add("z1", "we swam in the lake", "apart");
  add("z2", "he painted the canoe", "apart");
  add("a1", "we swam in the lake", "lakes");
  add("a2", "she liked the lake", "lakes");
  add("b1", "he painted the canoe", "canoes");
  add("b2", "she sold the canoe", "canoes");
  SearchRequest request{.query = "canoe lake"};
  request.unit = SearchUnit::sources;
  EXPECT_TRUE(found(request).front().starts_with("z"));
  request.without = {SearchStage::source_words};
  EXPECT_EQ(found(request).front(), "a2") << "each drawer alone has one of the words";
}

TEST_F(RankingTest, AModeAsksOneSideOnly) {
  add("a", "the plan for the garden", "a");
  SearchRequest request{.query = "garden"};
  request.mode = SearchMode::vectors;
  EXPECT_EQ(hybrid_search(*drawers_, nullptr, request).error().kind, ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace loci
