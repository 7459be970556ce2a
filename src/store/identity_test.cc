#include "store/identity.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::HasSubstr;

// Answers with what it is given.
class CannedEmbedder : public Embedder {
 public:
  CannedEmbedder(std::string name, std::size_t dimension, std::vector<Embedding> answer = {})
      : name_(std::move(name)), dimension_(dimension), answer_(std::move(answer)) {}
  std::string model_name() const override { return name_; }
  std::size_t dimension() const override { return dimension_; }
  Result<std::vector<Embedding>> embed(std::span<const std::string>) const override { return answer_; }

 private:
  std::string name_;
  std::size_t dimension_;
  std::vector<Embedding> answer_;
};

const CannedEmbedder kMini("mini", 2);
const CannedEmbedder kOther("other", 2);
const CannedEmbedder kNameless("", 2);

TEST(IdentityTest, EqualNamesMatch) {
  const IdentityCheck check = check_identity("mini", 2, true, &kMini);
  EXPECT_EQ(check.state, IdentityState::known_match);
  EXPECT_TRUE(check.open.ok());
  EXPECT_TRUE(check.embed_on_write.ok());
  EXPECT_FALSE(check.records_model);
  EXPECT_EQ(check.warning, "");
  EXPECT_TRUE(check_identity("mini", {}, false, &kMini).open.ok());
}

TEST(IdentityTest, EqualNamesWithAnotherDimensionDoNotOpen) {
  const IdentityCheck check = check_identity("mini", 384, true, &kMini);
  ASSERT_FALSE(check.open.ok());
  EXPECT_EQ(check.open.error().kind, ErrorKind::dimension_mismatch);
}

TEST(IdentityTest, AnotherNameDoesNotOpenAndBothAreNamed) {
  const IdentityCheck check = check_identity("mini", 2, true, &kOther);
  EXPECT_EQ(check.state, IdentityState::known_mismatch);
  ASSERT_FALSE(check.open.ok());
  EXPECT_EQ(check.open.error().kind, ErrorKind::embedder_mismatch);
  EXPECT_THAT(check.open.error().message, HasSubstr("\"mini\""));
  EXPECT_THAT(check.open.error().message, HasSubstr("\"other\""));
  EXPECT_THAT(check.open.error().message, HasSubstr("--force-model-swap"));
}

TEST(IdentityTest, AForcedSwapOpensUnlessTheVectorsHaveAnotherDimension) {
  const IdentityCheck forced = check_identity("mini", 2, true, &kOther, ModelSwap::force);
  EXPECT_EQ(forced.state, IdentityState::known_mismatch);
  EXPECT_TRUE(forced.open.ok());
  EXPECT_TRUE(forced.embed_on_write.ok());
  EXPECT_TRUE(forced.swaps_model);

  const IdentityCheck wider = check_identity("mini", 384, true, &kOther, ModelSwap::force);
  EXPECT_EQ(wider.open.error().kind, ErrorKind::dimension_mismatch);
  EXPECT_TRUE(check_identity("mini", 384, false, &kOther, ModelSwap::force).open.ok()) << "no vector is left";
}

TEST(IdentityTest, AnEmptyCollectionRecordsTheModelOnTheFirstWriteThatEmbeds) {
  const IdentityCheck check = check_identity("", {}, false, &kMini);
  EXPECT_EQ(check.state, IdentityState::unknown);
  EXPECT_TRUE(check.open.ok());
  EXPECT_TRUE(check.embed_on_write.ok());
  EXPECT_TRUE(check.records_model);
  EXPECT_EQ(check.warning, "");
}

TEST(IdentityTest, VectorsOfAnUnknownModelCanBeReadButTextIsNotEmbeddedBesideThem) {
  const IdentityCheck check = check_identity("", 2, true, &kMini);
  EXPECT_EQ(check.state, IdentityState::unknown);
  EXPECT_TRUE(check.open.ok());
  ASSERT_FALSE(check.embed_on_write.ok());
  EXPECT_EQ(check.embed_on_write.error().kind, ErrorKind::embedder_mismatch);
  EXPECT_THAT(check.embed_on_write.error().message, HasSubstr("set-embedder"));
  EXPECT_FALSE(check.records_model);
  EXPECT_THAT(check.warning, HasSubstr("set-embedder"));
}

TEST(IdentityTest, AnEmbedderWithoutANameIsUnknownAndNotAnError) {
  for (const bool has_vectors : {false, true}) {
    const IdentityCheck check = check_identity("", 2, has_vectors, &kNameless);
    EXPECT_EQ(check.state, IdentityState::unknown);
    EXPECT_TRUE(check.open.ok());
    EXPECT_TRUE(check.embed_on_write.ok());
    EXPECT_FALSE(check.records_model);
  }
  const IdentityCheck known = check_identity("mini", 2, true, &kNameless);
  EXPECT_EQ(known.state, IdentityState::unknown);
  EXPECT_TRUE(known.open.ok());
  EXPECT_EQ(known.embed_on_write.error().kind, ErrorKind::embedder_mismatch);
  EXPECT_NE(known.warning, "");
}

TEST(IdentityTest, WithoutAnEmbedderThereIsNothingToCompare) {
  const IdentityCheck check = check_identity("mini", 2, true, nullptr);
  EXPECT_EQ(check.state, IdentityState::unknown);
  EXPECT_TRUE(check.open.ok());
  EXPECT_EQ(check.embed_on_write.error().kind, ErrorKind::invalid_argument);
}

TEST(EmbedTextsTest, AWrongAnswerOfTheEmbedderIsAnError) {
  const std::vector<std::string> texts{"a", "b"};
  const auto kind = [&](std::vector<Embedding> answer) {
    const Result<std::vector<Embedding>> vectors = embed_texts(CannedEmbedder("m", 2, std::move(answer)), texts);
    EXPECT_FALSE(vectors.ok());
    return vectors.ok() ? ErrorKind::io : vectors.error().kind;
  };
  EXPECT_EQ(kind({{1, 0}}), ErrorKind::internal);
  EXPECT_EQ(kind({{1, 0}, {1}}), ErrorKind::dimension_mismatch);
  EXPECT_EQ(kind({{1, 0}, {0, 0}}), ErrorKind::invalid_argument);
  EXPECT_EQ(kind({{1, std::nanf("")}, {0, 1}}), ErrorKind::invalid_argument);
  EXPECT_EQ(*embed_texts(CannedEmbedder("m", 2, {{1, 0}, {0, 1}}), texts), (std::vector<Embedding>{{1, 0}, {0, 1}}));
  EXPECT_TRUE(embed_texts(kMini, {})->empty());
}

class NewModelTest : public testing::Test {
 protected:
  Status check(std::string_view model, std::optional<std::size_t> dimension, bool has_vectors,
               ModelSwap swap = ModelSwap::refuse) {
    return check_new_model({.collection = "c", .model = "mini", .dimension = 2}, model, dimension, swap,
                           [&]() -> Result<bool> {
                             ++asked_;
                             return has_vectors;
                           });
  }
  int asked_ = 0;
};

TEST_F(NewModelTest, TheRecordedOneIsConfirmedWithoutLookingForVectors) {
  EXPECT_TRUE(check("mini", 2, true).ok());
  EXPECT_TRUE(check("mini", {}, true).ok());
  EXPECT_EQ(asked_, 0);
}

TEST_F(NewModelTest, AnotherOneNeedsForceAndAName) {
  EXPECT_EQ(check("other", 2, true).error().kind, ErrorKind::embedder_mismatch);
  EXPECT_TRUE(check("other", 2, true, ModelSwap::force).ok());
  EXPECT_EQ(check("", 2, true, ModelSwap::force).error().kind, ErrorKind::invalid_argument);
}

TEST_F(NewModelTest, VectorsKeepTheirDimensionAlsoByForce) {
  EXPECT_EQ(check("other", 3, true, ModelSwap::force).error().kind, ErrorKind::dimension_mismatch);
  EXPECT_TRUE(check("other", 3, false, ModelSwap::force).ok());
}

}  // namespace
}  // namespace loci
