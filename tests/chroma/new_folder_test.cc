// A folder that Loci made, in the hands of Chroma.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/chroma/folder_backend.h"
#include "tests/chroma/both_sides.h"
#include "tests/chroma/real_server.h"
#include "tests/crash/effort.h"

namespace loci::chroma_tests {
namespace {

class NewFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_migrations()) GTEST_SKIP() << "the texts of Chroma's migrations cannot be had here";
    if (!has_server()) GTEST_SKIP() << "no Chroma server can be had here";
  }
  static std::unique_ptr<Backend> make_backend() {
    return make_chroma_folder_backend({.migrations = LOCI_CHROMA_MIGRATIONS_FILE});
  }
  static std::shared_ptr<Collection> open(Backend& backend, const std::filesystem::path& folder,
                                          const std::string& name, const OpenOptions& options = {}) {
    auto collection = backend.collection(PalaceRef::at(folder), name, options);
    if (!collection.ok()) throw std::runtime_error(collection.error().message);
    return *std::move(collection);
  }
  ServerCollection on_server(const std::string& name) const {
    const std::vector<ServerCollection> all = server_.collections();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    if (found == all.end()) throw std::runtime_error("Chroma has no collection " + name);
    return *found;
  }

  const unsigned seed_ = crash::test_seed();
  const testing::ScopedTrace trace_{__FILE__, __LINE__, crash::seed_trace(seed_)};
  const TemporaryFolder folder_;
  RealServer server_{folder_.path() / "server"};
};

TEST_F(NewFolderTest, ChromaOpensItReadsEveryRecordAndAddsItsOwn) {
  std::map<std::string, Expected> expected;
  const auto backend = make_backend();
  for (const DistanceMetric metric : kMetrics) {
    const std::string name(to_string(metric));
    const auto collection = open(*backend, server_.data(), name, {.if_missing = IfMissing::create, .metric = metric});
    RandomRecords random(seed_);
    for (const Record& record : random.batch(1'300, 1'000'000)) expected[name].emplace(record.id, record);
    std::vector<Record> records;
    for (const auto& [id, record] : expected[name]) records.push_back(record);
    ASSERT_TRUE(collection->add(records).ok());
  }
  EXPECT_EQ(std::filesystem::status(server_.data()).permissions(), std::filesystem::perms::owner_all);

  for (int turn = 0; turn < 3; ++turn) {
    backend->close_palace(PalaceRef::at(server_.data()));
    server_.start();
    ASSERT_EQ(server_.collections().size(), std::size(kMetrics));
    for (const DistanceMetric metric : kMetrics) {
      const std::string name(to_string(metric));
      const ServerCollection collection = on_server(name);
      EXPECT_EQ(server_.call("GET", "collections/" + name).at("configuration_json").at("hnsw").at("space"), name);
      EXPECT_EQ(differences(expected[name], server_.get(collection), metric), "") << name;
      RandomRecords random(seed_ + 1 + static_cast<unsigned>(turn));
      for (int i = 0; i < 4; ++i) write_with_chroma(server_, collection, random, expected[name], 100, 500);
    }
    server_.stop();
    for (const DistanceMetric metric : kMetrics) {
      const std::string name(to_string(metric));
      EXPECT_EQ(differences(expected[name], read_with_loci(*backend, server_.data(), name), metric), "") << name;
      RandomRecords random(seed_ + 100 + static_cast<unsigned>(turn));
      const auto collection = open(*backend, server_.data(), name);
      for (int i = 0; i < 4; ++i) write_with_loci(*collection, random, expected[name], 100, 500);
    }
  }
}

TEST_F(NewFolderTest, ItIsCosineUnlessAskedOtherwiseAndChromaMakesCollectionsInItAsWell) {
  const auto backend = make_backend();
  const std::vector<Record> records{{.id = "a", .document = "text", .embedding = Embedding{3, 4}}};
  ASSERT_TRUE(open(*backend, server_.data(), "ours", {.if_missing = IfMissing::create})->add(records).ok());
  backend->close_palace(PalaceRef::at(server_.data()));
  server_.start();
  EXPECT_EQ(server_.call("GET", "collections/ours").at("configuration_json").at("hnsw").at("space"), "cosine");
  const ServerCollection theirs = server_.create("theirs", DistanceMetric::l2);
  server_.call("POST", "collections/" + theirs.id + "/add", request_body(records));
  server_.call("DELETE", "collections/ours");
  server_.stop();
  const Expected expected{{"a", records[0]}};
  EXPECT_EQ(differences(expected, read_with_loci(*backend, server_.data(), "theirs"), DistanceMetric::l2), "");
  const auto gone = backend->collection(PalaceRef::at(server_.data()), "ours", {});
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().kind, ErrorKind::collection_not_initialized);
}

}  // namespace
}  // namespace loci::chroma_tests
