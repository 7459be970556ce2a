#include "search/hybrid_search.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "search/timed_search.h"
#include "store/embedded/embedded_backend.h"

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Knows the meaning of a few texts; every other text means something else.
class TableEmbedder final : public Embedder {
 public:
  std::map<std::string, Embedding> meanings;
  bool is_away = false;
  double readable = 1;

  std::string model_name() const override { return "table"; }
  std::size_t dimension() const override { return 3; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    if (is_away) return Error{ErrorKind::unavailable, "the server does not answer"};
    std::vector<Embedding> vectors;
    for (const std::string& text : texts) {
      const auto found = meanings.find(text);
      vectors.push_back(found == meanings.end() ? Embedding{0, 0, 1} : found->second);
    }
    return vectors;
  }
  double readable_share(std::string_view) const override { return readable; }
};

class HybridSearchTest : public testing::Test {
 protected:
  void SetUp() override {
    embedder_.meanings = {{"Tea is what Ana drinks", {1, 0, 0}},
                          {"a warm beverage for the morning", {0.9F, 0.1F, 0}},
                          {"which beverage", {1, 0, 0}},
                          {"The limit is in kRetryLimit", {0, 1, 0}}};
    open();
  }

  void add(const std::string& id, const std::string& text, Metadata metadata = {}) {
    ASSERT_TRUE(drawers_->add(std::vector{Record{.id = id, .document = text, .metadata = std::move(metadata)}}).ok());
  }

  std::vector<std::string> found(const SearchRequest& request, const Embedder* embedder) const {
    const Result<SearchAnswer> answer = hybrid_search(*drawers_, embedder, request);
    EXPECT_TRUE(answer.ok()) << (answer.ok() ? "" : answer.error().message);
    std::vector<std::string> ids;
    if (!answer.ok()) return ids;
    for (const SearchHit& hit : answer->hits) ids.push_back(hit.record.id);
    return ids;
  }

  void open() {
    drawers_ = *backend_->collection(PalaceRef::at(folder_.path() / "palace"), "drawers",
                                     {.if_missing = IfMissing::create, .embedder = &embedder_});
  }

  // Turns a bit of it where it lies in the file.
  bool damage_vector(const Embedding& vector) {
    drawers_.reset();
    backend_ = make_embedded_backend();  // what is in the log goes to the file
    std::string bytes(vector.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), vector.data(), bytes.size());
    const std::filesystem::path file = folder_.path() / "palace" / "palace.db";
    Result<std::string> content = read_file(file, 100 << 20);
    const std::size_t at = content.ok() ? content->find(bytes) : std::string::npos;
    if (at == std::string::npos) return false;
    (*content)[at] ^= 1;
    std::ofstream(file, std::ios::binary) << *content;
    open();
    return true;
  }

  TemporaryFolder folder_;
  TableEmbedder embedder_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
  std::shared_ptr<Collection> drawers_;
};

TEST_F(HybridSearchTest, FindsByMeaningWithoutACommonWord) {
  add("tea", "Tea is what Ana drinks");
  add("retries", "The limit is in kRetryLimit");
  EXPECT_EQ(found({.query = "which beverage"}, &embedder_).front(), "tea");
  EXPECT_THAT(found({.query = "which beverage"}, nullptr), IsEmpty()) << "no word of it is there";
}

TEST_F(HybridSearchTest, AnEmbedderOfAnotherDimensionIsNotComparedAndTheAnswerSaysWhy) {
  add("tea", "Tea is what Ana drinks");
  const Result<SearchAnswer> answer = hybrid_search(*drawers_, &embedder_, {.query = "Tea", .dimension = 8});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->hits.size(), 1U);
  ASSERT_TRUE(answer->embedder_error);
  EXPECT_EQ(answer->embedder_error->message, "the vectors here have 8 dimensions, those of table 3");
}

TEST_F(HybridSearchTest, AnExactIdentifierComesFirst) {
  add("tea", "Tea is what Ana drinks");
  add("retries", "The limit is in kRetryLimit");
  EXPECT_EQ(found({.query = "kRetryLimit"}, &embedder_).front(), "retries");
}

TEST_F(HybridSearchTest, WhatIsFoundBothWaysBeatsWhatIsFoundOneWay) {
  add("meaning", "Tea is what Ana drinks");
  add("both", "a warm beverage for the morning");
  add("words", "beverage tax in the year 1790, which was high");
  EXPECT_EQ(found({.query = "which beverage"}, &embedder_).front(), "both");
}

TEST_F(HybridSearchTest, TheFilterActsInsideTheSearch) {
  for (int i = 0; i < 300; ++i)
    add("tea" + std::to_string(i), "Tea is what Ana drinks", {{"kind", std::string("common")}});
  add("rare", "The limit is in kRetryLimit", {{"kind", std::string("rare")}});
  const Filter rare = Filter::of({.key = "kind", .op = FilterOperator::eq, .operands = {std::string("rare")}});
  EXPECT_THAT(found({.query = "which beverage", .where = rare, .limit = 1}, &embedder_), ElementsAre("rare"));
}

TEST_F(HybridSearchTest, EqualTextsFoldIntoOneHitThatNamesTheOthers) {
  add("a", "Tea is what Ana drinks");
  add("b", "Tea is what Ana drinks");
  add("c", "The limit is in kRetryLimit");
  const SearchAnswer answer = *hybrid_search(*drawers_, &embedder_, {.query = "Ana drinks", .limit = 2});
  ASSERT_EQ(answer.hits.size(), 2U);
  EXPECT_EQ(answer.hits[0].record.id, "a");
  EXPECT_THAT(answer.hits[0].also_in, ElementsAre("b"));
  EXPECT_EQ(answer.hits[1].record.id, "c");
}

TEST_F(HybridSearchTest, EqualTextsTakeNoPlaceFromOthers) {
  std::vector<Record> records;
  for (int i = 0; i < 1'200; ++i) records.push_back({.id = "same-" + std::to_string(i), .document = "a harbour"});
  ASSERT_TRUE(drawers_->add(records).ok());
  for (int i = 0; i < 8; ++i)
    add("other-" + std::to_string(i), "the harbour is closed in winter " + std::to_string(i) + ", says the keeper");
  for (const Embedder* embedder : {static_cast<const Embedder*>(nullptr), static_cast<const Embedder*>(&embedder_)}) {
    const SearchAnswer answer = *hybrid_search(*drawers_, embedder, {.query = "harbour", .limit = 9});
    ASSERT_EQ(answer.hits.size(), 9U);
    EXPECT_TRUE(answer.hits[0].record.id.starts_with("same-"));
    EXPECT_GE(answer.hits[0].copies, 100U);
    EXPECT_EQ(answer.hits[0].also_in.size(), 10U) << "some are named, all are counted";
    EXPECT_FALSE(answer.hides_texts_behind_copies);
  }
}

TEST_F(HybridSearchTest, AFilterThatLeavesOneDrawerReturnsIt) {
  add("tea", "Tea is what Ana drinks", {{"kind", std::string("common")}});
  add("rare", "The limit is in kRetryLimit", {{"kind", std::string("rare")}});
  const Filter rare = Filter::of({.key = "kind", .op = FilterOperator::eq, .operands = {std::string("rare")}});
  const SearchAnswer answer = *hybrid_search(*drawers_, nullptr, {.query = "beverage", .where = rare});
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_EQ(answer.hits[0].record.id, "rare");
  EXPECT_EQ(answer.hits[0].score, 0);
  EXPECT_THAT(found({.query = "beverage"}, nullptr), IsEmpty()) << "without a filter nothing found is nothing found";
}

TEST_F(HybridSearchTest, AHitSaysHowItWasFound) {
  add("tea", "Tea is what Ana drinks");
  const SearchAnswer answer = *hybrid_search(*drawers_, &embedder_, {.query = "Ana"});
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_GT(answer.hits[0].words, 0);
  EXPECT_LE(answer.hits[0].words, 1);
  ASSERT_TRUE(answer.hits[0].similarity.has_value());
  EXPECT_NEAR(*answer.hits[0].similarity, 0, 1e-6);
  EXPECT_THAT(answer.hits[0].highlights, ElementsAre(Highlight{12, 15}));
}

TEST_F(HybridSearchTest, APastedPromptIsReducedToItsQuestion) {
  add("tea", "Tea is what Ana drinks");
  add("rules", "Follow the rules of the assistant");
  std::string prompt;
  while (prompt.size() < 3000) prompt += "Follow the rules of the assistant. ";
  const SearchAnswer answer = *hybrid_search(*drawers_, nullptr, {.query = prompt + "What does Ana drink?"});
  EXPECT_EQ(answer.searched_for, "What does Ana drink?");
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(answer.hits[0].record.id, "tea");
}

TEST_F(HybridSearchTest, AnEmbedderThatFailsLeavesTheWordsAndIsNamed) {
  add("tea", "Tea is what Ana drinks");
  embedder_.is_away = true;
  const SearchAnswer answer = *hybrid_search(*drawers_, &embedder_, {.query = "Ana"});
  ASSERT_EQ(answer.hits.size(), 1U);
  ASSERT_TRUE(answer.embedder_error.has_value());
  EXPECT_EQ(answer.embedder_error->message, "the server does not answer");
  EXPECT_EQ(hybrid_search(*drawers_, &embedder_, {.query = "?!"}).error().kind, ErrorKind::unavailable);
}

TEST_F(HybridSearchTest, ADamagedVectorLeavesTheWordsAndIsNamed) {
  embedder_.meanings["Ben sails"] = {0.25F, 0.5F, 0.75F};
  add("tea", "Tea is what Ana drinks");
  add("boat", "Ben sails");
  ASSERT_TRUE(damage_vector({0.25F, 0.5F, 0.75F}));
  const SearchAnswer answer = *hybrid_search(*drawers_, &embedder_, {.query = "Ana"});
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_EQ(answer.hits[0].record.id, "tea");
  EXPECT_FALSE(answer.hits[0].is_near);
  ASSERT_TRUE(answer.embedder_error.has_value());
  EXPECT_EQ(answer.embedder_error->kind, ErrorKind::corruption);
  EXPECT_NE(answer.embedder_error->message.find("loci verify --deep"), std::string::npos);
  EXPECT_EQ(hybrid_search(*drawers_, &embedder_, {.query = "?!"}).error().kind, ErrorKind::corruption);
}

TEST_F(HybridSearchTest, AMeaningThatTheModelHardlyReadsLeavesTheOrderToTheWords) {
  embedder_.meanings = {{"всё о погоде", {1, 0, 0}}, {"чай и кофе на столе", {0, 1, 0}}, {"кто пьёт чай", {1, 0, 0}}};
  add("near", "всё о погоде");
  add("words", "чай и кофе на столе");
  const SearchRequest request{.query = "кто пьёт чай"};
  EXPECT_EQ(found(request, &embedder_).front(), "near");
  embedder_.readable = 0.1;
  EXPECT_THAT(found(request, &embedder_), ElementsAre("words", "near"));
  const TimedAnswer timed = *timed_search(*drawers_, &embedder_, request);
  EXPECT_EQ(timed.answer.hits.front().record.id, "words");
  EXPECT_DOUBLE_EQ(timed.answer.readable_share, 0.1);
  ASSERT_TRUE(timed.answer.hits.back().similarity);
  EXPECT_NEAR(*timed.answer.hits.back().similarity, 1, 1e-6) << "the similarity itself stays what it is";
  const SearchAnswer alone =
      *hybrid_search(*drawers_, &embedder_, {.query = request.query, .mode = SearchMode::vectors});
  EXPECT_EQ(alone.hits.front().record.id, "near");
  EXPECT_NEAR(alone.hits.front().score, 1, 1e-6) << "beside no words it counts in full";
}

TEST_F(HybridSearchTest, TheMeaningIsThatOfTheQuestionAsTyped) {
  embedder_.meanings["\"which beverage\""] = {0, 1, 0};
  add("tea", "Tea is what Ana drinks");
  add("retries", "The limit is in kRetryLimit");
  const SearchAnswer answer = *hybrid_search(*drawers_, &embedder_, {.query = "\"which beverage\""});
  EXPECT_EQ(answer.searched_for, "which beverage") << "nothing has it in a row";
  EXPECT_EQ(answer.hits.front().record.id, "retries") << "as vectors alone would find it";
}

TEST_F(HybridSearchTest, AQueryWithoutAnythingToLookForIsAnError) {
  add("tea", "Tea is what Ana drinks");
  EXPECT_EQ(hybrid_search(*drawers_, &embedder_, {.query = " \n"}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(hybrid_search(*drawers_, nullptr, {.query = "?!"}).error().kind, ErrorKind::invalid_argument);
}

TEST_F(HybridSearchTest, AQuestionAboutSomebodyWhoSpeaksIsComparedInTheFirstPerson) {
  embedder_.meanings = {{"Nina: I learnt it in Kiel", {1, 0, 0}},
                        {"Tom: Nina, where is the boat of Nina?", {0, 1, 0}},
                        {"Where did I sail first?", {1, 0, 0}},
                        {"Where did Nina sail first?", {0, 1, 0}}};
  add("told", "Nina: I learnt it in Kiel", {{"speaker", "Nina"}});
  add("about", "Tom: Nina, where is the boat of Nina?", {{"speaker", "Tom"}});
  SearchRequest request{.query = "Where did Nina sail first?"};
  const Result<SearchAnswer> answer = hybrid_search(*drawers_, &embedder_, request);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->told_as, "Where did I sail first?");
  ASSERT_EQ(answer->hits.size(), 2U);
  EXPECT_EQ(answer->hits[0].record.id, "told");
  EXPECT_TRUE(answer->hits[0].is_told);
  EXPECT_FALSE(answer->hits[1].is_told);
  request.without = {SearchStage::speakers};
  EXPECT_THAT(found(request, &embedder_), ElementsAre("about", "told"));
}

TEST_F(HybridSearchTest, ANameOfNobodyWhoSpeaksStaysInTheQuestion) {
  add("a", "user: Nina sails", {{"speaker", "user"}, {"role", "user"}});
  const Result<SearchAnswer> answer = hybrid_search(*drawers_, &embedder_, {.query = "Where did Nina sail first?"});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->told_as, std::nullopt);
}

}  // namespace
}  // namespace loci
