#include "store/chroma/vector_index.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/chroma/folder_backend.h"
#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

Embedding random_vector(std::mt19937& random) {
  Embedding vector(16);
  for (float& value : vector) value = std::uniform_real_distribution<float>(-1, 1)(random);
  return vector;
}

class VectorIndexTest : public testing::TestWithParam<DistanceMetric> {};

// The first question measures every vector, the second and later ones go through the index; what was written in between
// is found as well.
TEST_P(VectorIndexTest, AnswersAreThoseOfMeasuringEveryVector) {
  const TemporaryFolder folder;
  make_empty_folder(folder.path());
  const auto backend = make_chroma_folder_backend();
  const auto collection =
      backend->collection(PalaceRef::at(folder.path()), "c", {.if_missing = IfMissing::create, .metric = GetParam()});
  ASSERT_TRUE(collection.ok()) << collection.error().message;
  std::mt19937 random(7);
  std::vector<Record> records;
  for (int i = 0; i < 5'000; ++i)
    records.push_back({.id = "id" + std::to_string(i), .embedding = random_vector(random)});
  ASSERT_TRUE((*collection)->add(records).ok());
  const auto ask = [&](const Embedding& query) {
    const auto answer = (*collection)->query({.embeddings = {query}, .n_results = 10});
    EXPECT_TRUE(answer.ok());
    std::vector<std::string> ids;
    for (const Hit& hit : answer->hits.front()) ids.push_back(hit.record.id);
    return ids;
  };
  std::vector<Embedding> queries;
  std::vector<std::vector<std::string>> exact;
  for (int i = 0; i < 20; ++i) {
    queries.push_back(random_vector(random));
    backend->close_palace(PalaceRef::at(folder.path()));  // forgets that it was asked before
    exact.push_back(ask(queries.back()));
  }
  std::size_t same = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) same += ask(queries[i]) == exact[i] ? 1 : 0;
  EXPECT_GE(same, queries.size() - 1) << "the index may miss one of two hundred";
  const std::vector<Record> added{{.id = "new", .embedding = queries[0]}};
  ASSERT_TRUE((*collection)->add(added).ok());
  for (int i = 0; i < 3 && GetParam() != DistanceMetric::ip; ++i) EXPECT_EQ(ask(queries[0]).front(), "new");
}

INSTANTIATE_TEST_SUITE_P(Metrics, VectorIndexTest,
                         testing::Values(DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace loci::chroma
