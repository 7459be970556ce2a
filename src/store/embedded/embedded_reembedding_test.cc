#include "store/embedded/embedded_reembedding.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "loci/upkeep.h"
#include "store/embedded/next_vectors.h"
#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

// Vectors that show which model made them, and from which text.
class MarkedEmbedder : public Embedder {
 public:
  MarkedEmbedder(std::string name, std::size_t dimension) : name_(std::move(name)), dimension_(dimension) {}
  std::string model_name() const override { return name_; }
  std::size_t dimension() const override { return dimension_; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    if (const std::function<void()> hook = meanwhile) hook();  // a copy: it may clear itself
    std::vector<Embedding> vectors;
    if (std::find(texts.begin(), texts.end(), refused) != texts.end())
      return Error{ErrorKind::invalid_argument, "not this one"};
    for (const std::string& text : texts) vectors.push_back(vector_of(text));
    seen += texts.size();
    return vectors;
  }
  Embedding vector_of(std::string_view text) const {
    Embedding vector(dimension_, 1);
    vector[0] = static_cast<float>(text.size());
    return vector;
  }

  std::function<void()> meanwhile;
  std::string refused = "none of them";
  mutable std::size_t seen = 0;

 private:
  std::string name_;
  std::size_t dimension_;
};

class ReembeddingTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<Record> records;
    for (int i = 0; i < 5; ++i)
      records.push_back(record("id" + std::to_string(i), std::string(static_cast<std::size_t>(i + 1), 'x')));
    ASSERT_TRUE(old_drawers()->add(records).ok());
  }

  std::shared_ptr<Collection> old_drawers() { return palace_.drawers({.embedder = &old_}); }
  std::shared_ptr<Collection> drawers() { return palace_.drawers(); }

  static Embedding vector_in(Collection& drawers, const std::string& id) {
    const auto found = drawers.get({.selection = {.ids = {{id}}}, .include = {.embeddings = true}});
    EXPECT_TRUE(found.ok() && found->size() == 1);
    return found->front().embedding.value_or(Embedding{});
  }
  static void finish(Collection& drawers, const Embedder& embedder) {
    for (int i = 0; i < 100; ++i) {
      const auto step = drawers.reembedding()->step(embedder, 2);
      ASSERT_TRUE(step.ok()) << step.error().message;
      if (step->is_finished) return;
      ASSERT_GT(step->embedded, 0U);
    }
    FAIL() << "it does not end";
  }

  TestPalace palace_;
  MarkedEmbedder old_{"old", 2};
  MarkedEmbedder new_{"new", 3};
};

TEST_F(ReembeddingTest, ATextThatTheNewModelRefusesHasNoVectorAfterTheExchange) {
  const auto collection = drawers();
  Reembedding& reembedding = *collection->reembedding();
  ASSERT_TRUE(reembedding.start(new_).ok());
  new_.refused = "xxx";
  const auto step = reembedding.step(new_, 100);
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_EQ(step->embedded, 4U);
  EXPECT_EQ(step->refused, (std::vector<RefusedText>{{"id2", "not this one"}}));
  EXPECT_EQ(vector_in(*collection, "id2"), old_.vector_of("xxx")) << "until the exchange";
  EXPECT_TRUE(palace_.backend().upkeep()->verify(palace_.ref(), VerifyDepth::deep)->findings.empty());
  EXPECT_TRUE(reembedding.step(new_, 100)->is_finished);
  EXPECT_EQ(vector_in(*collection, "id2"), Embedding{});
  EXPECT_EQ(vector_in(*collection, "id3"), new_.vector_of("xxxx"));
  EXPECT_EQ(collection->info()->missing, 1U);
}

TEST_F(ReembeddingTest, ADamagedTextDoesNotKeepTheOthersFromTheirs) {
  const auto collection = drawers();
  palace_.execute("UPDATE documents SET text = 'xyx' WHERE text = 'xxx'");
  Reembedding& reembedding = *collection->reembedding();
  ASSERT_TRUE(reembedding.start(new_).ok());
  const auto step = reembedding.step(new_, 100);
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_EQ(step->embedded, 4U);
  ASSERT_EQ(step->refused.size(), 1U);
  EXPECT_EQ(step->refused[0].id, "id2");
  EXPECT_TRUE(reembedding.step(new_, 100)->is_finished);
  EXPECT_EQ(collection->info()->missing, 1U);
}

TEST_F(ReembeddingTest, TheOldVectorsStayInUseUntilTheNewOnesAreComplete) {
  const auto collection = drawers();
  Reembedding& reembedding = *collection->reembedding();
  EXPECT_FALSE(reembedding.state()->has_value());
  ASSERT_TRUE(reembedding.start(new_).ok());
  EXPECT_EQ(reembedding.step(new_, 3)->embedded, 3U);
  EXPECT_EQ(*reembedding.state(), (ReembeddingState{"new", 3, 5}));
  EXPECT_EQ(collection->info()->model, "old");
  EXPECT_EQ(vector_in(*collection, "id0"), old_.vector_of("x"));
  EXPECT_EQ(reembedding.step(new_, 3)->embedded, 2U);
  EXPECT_EQ(collection->info()->model, "old");
  EXPECT_TRUE(reembedding.step(new_, 3)->is_finished);
  EXPECT_EQ(collection->info()->model, "new");
  EXPECT_EQ(collection->info()->dimension, 3U);
  EXPECT_EQ(vector_in(*collection, "id4"), new_.vector_of("xxxxx"));
  EXPECT_FALSE(reembedding.state()->has_value());
  EXPECT_EQ(palace_.query("SELECT count(*) FROM next_vectors"), 0);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM migrations WHERE what = 're-embedding' AND detail LIKE '%old to new'"),
            1);
  EXPECT_TRUE(palace_.drawers({.embedder = &new_})->query({.texts = {"xx"}}).ok());
}

TEST_F(ReembeddingTest, AfterAForcedSwapAllVectorsAreMadeAnewByTheModelThatIsRecorded) {
  const MarkedEmbedder other{"other", 2};
  EXPECT_EQ(drawers()->reembedding()->start(old_).error().kind, ErrorKind::already_exists);
  const auto collection = palace_.drawers({.embedder = &other, .model_swap = ModelSwap::force});
  ASSERT_TRUE(collection->add(batch(record("later", "the text of another model"))).ok());
  EXPECT_EQ(collection->info()->model, "other");
  Reembedding& reembedding = *collection->reembedding();
  ASSERT_TRUE(reembedding.start(other).ok());
  EXPECT_EQ(reembedding.state()->value().total, 6U);
  finish(*collection, other);
  EXPECT_EQ(reembedding.start(other).error().kind, ErrorKind::already_exists);
}

TEST_F(ReembeddingTest, EveryExchangedVectorIsAChange) {
  const auto collection = drawers();
  const std::int64_t before = collection->changes_since(0, 100)->back().seq;
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  EXPECT_EQ(collection->reembedding()->step(new_, 100)->embedded, 5U);
  EXPECT_TRUE(collection->changes_since(before, 100)->empty());
  finish(*collection, new_);
  EXPECT_EQ(collection->changes_since(before, 100)->size(), 5U);
}

TEST_F(ReembeddingTest, WhatWasMadeSurvivesTheProcess) {
  ASSERT_TRUE(drawers()->reembedding()->start(new_).ok());
  ASSERT_TRUE(drawers()->reembedding()->step(new_, 3).ok());
  palace_.reopen();
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  EXPECT_EQ((*collection->reembedding()->state())->done, 3U);
  finish(*collection, new_);
  EXPECT_EQ(new_.seen, 5U) << "nothing is embedded twice";
}

TEST_F(ReembeddingTest, RecordsThatChangeMeanwhileAreEmbeddedAnew) {
  const auto collection = drawers();
  Reembedding& reembedding = *collection->reembedding();
  ASSERT_TRUE(reembedding.start(new_).ok());
  ASSERT_EQ(reembedding.step(new_, 3)->embedded, 3U);
  const auto writer = old_drawers();
  const std::vector<RecordUpdate> change = {{.id = "id0", .document = "a longer text"}};
  ASSERT_TRUE(writer->update(change).ok());
  ASSERT_TRUE(writer->erase({.ids = {{"id1"}}}).ok());
  ASSERT_TRUE(writer->add(batch(record("more", "xxxxxxx"))).ok());
  EXPECT_EQ(*reembedding.state(), (ReembeddingState{"new", 1, 5}));
  finish(*collection, new_);
  EXPECT_EQ(vector_in(*collection, "id0"), new_.vector_of("a longer text"));
  EXPECT_EQ(vector_in(*collection, "more"), new_.vector_of("xxxxxxx"));
  EXPECT_EQ(palace_.query("SELECT count(*) FROM vectors"), 5);
}

TEST_F(ReembeddingTest, AChangeWhileTheModelComputesIsNoticed) {
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  new_.meanwhile = [&] {
    new_.meanwhile = nullptr;
    const std::vector<RecordUpdate> change = {{.id = "id0", .document = "a longer text"}};
    ASSERT_TRUE(old_drawers()->update(change).ok());
  };
  EXPECT_EQ(collection->reembedding()->step(new_, 100)->embedded, 4U);
  finish(*collection, new_);
  EXPECT_EQ(vector_in(*collection, "id0"), new_.vector_of("a longer text"));
}

TEST_F(ReembeddingTest, ATextThatChangesBetweenItsLeaseAndItsReadingIsLeftToTheQueue) {
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  const auto connection = palace_.connect();
  const std::int64_t number = palace_.query("SELECT id FROM collections");
  Result<RowLeases> leases = RowLeases::open(palace_.folder());
  ASSERT_TRUE(leases.ok());
  const Result<std::vector<std::int64_t>> leased = lease_old_rows(*connection, number, *leases, 0, 2);
  ASSERT_TRUE(leased.ok() && leased->size() == 2);

  ASSERT_TRUE(collection->update(std::vector<RecordUpdate>{{.id = "id0", .document = "another"}}).ok());

  const Result<std::vector<PendingRow>> read = read_old_rows(*connection, *leased);
  ASSERT_TRUE(read.ok() && read->size() == 1);
  EXPECT_EQ(read->front().id, "id1");
}

TEST_F(ReembeddingTest, RowsThatWaitForTheirVectorGoOnWaiting) {
  ASSERT_TRUE(drawers()->add(batch(record("waits", "text"))).ok());
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  finish(*collection, new_);
  EXPECT_EQ(collection->info()->pending, 1U);
  EXPECT_EQ(palace_.drawers({.embedder = &new_})->embed_pending(10)->embedded, 1U);
}

TEST_F(ReembeddingTest, AnotherTargetReplacesWhatWasMade) {
  const MarkedEmbedder other("other", 4);
  const auto collection = drawers();
  Reembedding& reembedding = *collection->reembedding();
  ASSERT_TRUE(reembedding.start(new_).ok());
  ASSERT_TRUE(reembedding.step(new_, 3).ok());
  ASSERT_TRUE(reembedding.start(other).ok());
  EXPECT_EQ(*reembedding.state(), (ReembeddingState{"other", 0, 5}));
  EXPECT_EQ(reembedding.step(new_, 3).error().kind, ErrorKind::not_found) << "the worker of the old target is told";
  finish(*collection, other);
  EXPECT_EQ(collection->info()->model, "other");
}

TEST_F(ReembeddingTest, AReplacementWhileTheModelComputesStoresNothingOfTheOldTarget) {
  const MarkedEmbedder other("other", 4);
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  new_.meanwhile = [&] { ASSERT_TRUE(drawers()->reembedding()->start(other).ok()); };
  EXPECT_EQ(collection->reembedding()->step(new_, 3).error().kind, ErrorKind::not_found);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM next_vectors"), 0);
}

TEST_F(ReembeddingTest, GivenUpItLeavesTheOldVectors) {
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  ASSERT_TRUE(collection->reembedding()->step(new_, 3).ok());
  ASSERT_TRUE(collection->reembedding()->abandon().ok());
  EXPECT_FALSE(collection->reembedding()->state()->has_value());
  EXPECT_EQ(collection->info()->model, "old");
  EXPECT_EQ(palace_.query("SELECT count(*) FROM next_vectors"), 0);
}

TEST_F(ReembeddingTest, TheModelThatMadeTheVectorsHasNothingToDo) {
  EXPECT_EQ(drawers()->reembedding()->start(old_).error().kind, ErrorKind::already_exists);
  EXPECT_EQ(drawers()->reembedding()->start(MarkedEmbedder("", 2)).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(drawers()->reembedding()->step(new_, 3).error().kind, ErrorKind::not_found);
}

TEST_F(ReembeddingTest, AModelThatChangesItsMindAboutItsDimensionIsRefused) {
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  ASSERT_TRUE(collection->reembedding()->step(new_, 3).ok());
  EXPECT_EQ(collection->reembedding()->step(MarkedEmbedder("new", 7), 3).error().kind, ErrorKind::dimension_mismatch);
  EXPECT_EQ((*collection->reembedding()->state())->done, 3U);
}

TEST_F(ReembeddingTest, AnEmptyCollectionOnlyChangesItsModel) {
  ASSERT_TRUE(old_drawers()->erase({.ids = {{"id0", "id1", "id2", "id3", "id4"}}}).ok());
  const auto collection = drawers();
  ASSERT_TRUE(collection->reembedding()->start(new_).ok());
  EXPECT_TRUE(collection->reembedding()->step(new_, 3)->is_finished);
  EXPECT_EQ(collection->info()->model, "new");
}

TEST_F(ReembeddingTest, VerifyAndBackupKnowOfIt) {
  ASSERT_TRUE(drawers()->reembedding()->start(new_).ok());
  ASSERT_TRUE(drawers()->reembedding()->step(new_, 3).ok());
  Upkeep& upkeep = *palace_.backend().upkeep();
  EXPECT_TRUE(upkeep.verify(palace_.ref(), VerifyDepth::deep)->findings.empty());
  const std::filesystem::path copy = palace_.folder().parent_path() / "copy";
  ASSERT_TRUE(upkeep.backup(palace_.ref(), copy.string() + ".loci").ok());
  ASSERT_TRUE(upkeep.restore(copy.string() + ".loci", PalaceRef::at(copy)).ok());
  const auto restored = palace_.backend().collection(PalaceRef::at(copy), "drawers", {});
  EXPECT_EQ((*(*restored)->reembedding()->state())->done, 3U);
  palace_.execute("UPDATE next_vectors SET embedding = zeroblob(12) WHERE row = 1");
  const auto damaged = upkeep.verify(palace_.ref(), VerifyDepth::deep);
  ASSERT_EQ(damaged->findings.size(), 1U);
  EXPECT_NE(damaged->findings[0].detail.find("new vector of row 1"), std::string::npos);
}

TEST_F(ReembeddingTest, ACollectionThatIsDeletedLeavesNothing) {
  ASSERT_TRUE(drawers()->reembedding()->start(new_).ok());
  ASSERT_TRUE(drawers()->reembedding()->step(new_, 3).ok());
  ASSERT_TRUE(palace_.backend().delete_collection(palace_.ref(), "drawers").ok());
  EXPECT_EQ(palace_.query("SELECT (SELECT count(*) FROM next_vectors) + (SELECT count(*) FROM next_models)"), 0);
}

}  // namespace
}  // namespace loci::embedded
