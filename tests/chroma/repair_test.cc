// A repaired copy of a folder in any state of damage holds everything that the folder held, and Chroma opens it.
#include <cctype>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "store/chroma/folder_backend.h"
#include "store/chroma/folder_repair.h"
#include "store/chroma/made_folder.h"
#include "tests/chroma/both_sides.h"
#include "tests/chroma/real_server.h"
#include "tests/chroma/sample_folder.h"

namespace loci::chroma_tests {
namespace {

using testing::HasSubstr;

class RepairTest : public testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    unpack(GetParam(), folder_.path());
    root_ = folder_.path() / name_of(GetParam());
    expected_ = Json::parse(content_of(root_ / "expected.json")).at("collections");
  }
  std::filesystem::path damaged() const { return root_ / "dir"; }
  std::filesystem::path repaired() const { return folder_.path() / "repaired" / "data"; }
  // The vectors that were put in, in the order of the ids.
  std::vector<Embedding> vectors_of(const std::string& name) const {
    const std::string bytes = content_of(root_ / (name + ".expected.f32"));
    const std::size_t dimension = expected_.at(name).at("dim");
    std::vector<Embedding> vectors(bytes.size() / sizeof(float) / dimension, Embedding(dimension));
    for (std::size_t i = 0; i < vectors.size(); ++i)
      std::memcpy(vectors[i].data(), bytes.data() + i * dimension * sizeof(float), dimension * sizeof(float));
    return vectors;
  }

  const TemporaryFolder folder_;
  std::filesystem::path root_;
  Json expected_;
};

std::size_t with_vector(const Expected& records) {
  return static_cast<std::size_t>(std::count_if(records.begin(), records.end(),
                                                [](const auto& each) { return each.second.embedding.has_value(); }));
}

TEST_P(RepairTest, TheCopyHoldsAllThatWasThereAndTheOriginalIsUntouched) {
  const auto before = contents_of(damaged());
  const auto report = chroma::repair_folder(damaged(), repaired());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(contents_of(damaged()), before);
  const auto old_one = make_chroma_folder_backend({.copies = chroma::Copies::used});
  const auto new_one = make_chroma_folder_backend();
  std::size_t vectors = 0;
  std::size_t records = 0;
  const auto collections = old_one->collections(PalaceRef::at(damaged()), Access::read_only);
  ASSERT_TRUE(collections.ok());
  EXPECT_GE(collections->size(), expected_.size());
  for (const CollectionInfo& info : *collections) {
    const Expected there = read_with_loci(*old_one, damaged(), info.name);
    const Expected here = read_with_loci(*new_one, repaired(), info.name);
    EXPECT_EQ(differences(there, here, DistanceMetric::l2), "") << info.name;  // to the bit
    vectors += with_vector(here);
    records += here.size();
  }
  EXPECT_EQ(report->saved, vectors);
  EXPECT_EQ(report->saved + report->saved_in_part, records);
  EXPECT_EQ(report->lost, 0U);
  EXPECT_EQ(std::filesystem::status(repaired()).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_all);
  // What cannot be given to a record is not thrown away either.
  std::size_t lines = 0;
  for (const std::string& file : report->files) {
    const std::string content = content_of(repaired() / file);
    lines += static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n'));
  }
  EXPECT_EQ(lines, report->unassigned);
  EXPECT_EQ(report->unassigned > 0, name_of(GetParam()) == "pickle-missing-1.5.9");
}

TEST_P(RepairTest, ChromaOpensTheCopyWithoutAWrongVector) {
  if (!has_server()) GTEST_SKIP() << "no Chroma server can be had here";
  ASSERT_TRUE(chroma::repair_folder(damaged(), repaired()).ok());
  std::map<std::string, Expected> here;
  {
    const auto backend = make_chroma_folder_backend();
    for (const auto& [name, collection] : expected_.items()) here[name] = read_with_loci(*backend, repaired(), name);
  }
  {
    // Chroma 1.0 ends at once on any database of 1.3 and later. What their migrations add is not in its way; that they
    // ran must not be said.
    const auto database = chroma::Connection::open(repaired() / "chroma.sqlite3", sqlite::OpenMode::read_write);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE((*database)
                    ->execute("DELETE FROM migrations WHERE (dir = 'sysdb' AND version > 9) OR "
                              "(dir = 'metadb' AND version > 5)")
                    .ok());
  }
  RealServer server(folder_.path() / "repaired");
  // In the process that migrates a store of 0.4, healthy or repaired, Chroma 1.0 fails some of the requests:
  // connections of its pool go on with columns of before.
  server.start();
  server.stop();
  server.start();
  std::size_t compared = 0;
  for (const ServerCollection& collection : server.collections()) {
    if (!expected_.contains(collection.name)) continue;
    const Expected& records = here.at(collection.name);
    EXPECT_EQ(server.call("GET", "collections/" + collection.id + "/count"), records.size());
    std::vector<std::string> ids;  // a page with one that has no vector fails as a whole
    for (const auto& [id, record] : records) {
      if (record.embedding) ids.push_back(id);
    }
    const Expected found = server.get(collection, ids);
    EXPECT_EQ(found.size(), ids.size());
    const Json& wanted = expected_.at(collection.name);
    const std::vector<Embedding> vectors = vectors_of(collection.name);
    const bool is_cosine = wanted.at("space") == "cosine";
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      const auto other = found.find(wanted.at("ids")[i].get<std::string>());
      if (other == found.end()) continue;
      const Json& document = wanted.at("documents")[i];
      EXPECT_EQ(other->second.document, document.is_null() ? "" : document.get<std::string>());
      ++compared;
      const bool is_same = std::equal(vectors[i].begin(), vectors[i].end(), other->second.embedding->begin(),
                                      other->second.embedding->end(),
                                      [&](float a, float b) { return is_cosine ? std::abs(a - b) <= 1e-5F : a == b; });
      wrong += is_same ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0U) << collection.name;
    // It also goes on from there.
    server.call("POST", "collections/" + collection.id + "/upsert",
                request_body({{.id = "new", .document = "new", .embedding = vectors.front()}}));
    EXPECT_EQ(server.get(collection, std::vector<std::string>{"new"}).size(), 1U);
  }
  EXPECT_GT(compared, 0U);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RepairTest);
INSTANTIATE_TEST_SUITE_P(Samples, RepairTest, testing::ValuesIn(archives_in("chroma")), [](const auto& each) {
  std::string name = name_of(each.param);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

class RepairErrorTest : public testing::Test {
 protected:
  void SetUp() override {
    chroma::make_empty_folder(palace());
    const auto backend = make_chroma_folder_backend();
    const auto made = backend->collection(PalaceRef::at(palace()), "c", {.if_missing = IfMissing::create});
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE((*made)
                    ->add(std::vector<Record>{{.id = "a", .document = "x", .embedding = Embedding{1, 2}},
                                              {.id = "b", .document = "y"}})
                    .ok());
  }
  std::filesystem::path palace() const { return folder_.path() / "palace"; }
  const TemporaryFolder folder_;
};

TEST_F(RepairErrorTest, WhatHasNoVectorIsNamedAndKept) {
  std::ofstream(palace() / "knowledge_graph.sqlite3") << "facts";
  const auto report = chroma::repair_folder(palace(), folder_.path() / "new");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->saved, 1U);
  EXPECT_EQ(report->saved_in_part, 1U);
  ASSERT_EQ(report->losses.size(), 1U);
  EXPECT_THAT(report->losses[0], HasSubstr("\"b\""));
  EXPECT_EQ(content_of(folder_.path() / "new" / "knowledge_graph.sqlite3"), "facts");
  const auto backend = make_chroma_folder_backend();
  EXPECT_EQ(read_with_loci(*backend, folder_.path() / "new", "c").size(), 2U);
}

TEST_F(RepairErrorTest, AnOutputThatIsThereOrInsideIsRefusedAndNothingIsLeft) {
  std::filesystem::create_directory(folder_.path() / "there");
  std::ofstream(folder_.path() / "there" / "file") << "mine";
  const auto there = chroma::repair_folder(palace(), folder_.path() / "there");
  ASSERT_FALSE(there.ok());
  EXPECT_EQ(there.error().kind, ErrorKind::already_exists);
  const auto inside = chroma::repair_folder(palace(), palace() / "inside");
  ASSERT_FALSE(inside.ok());
  EXPECT_EQ(inside.error().kind, ErrorKind::invalid_argument);
  std::ofstream(palace() / "chroma.sqlite3", std::ios::trunc) << "this is no database of anybody's";
  EXPECT_FALSE(chroma::repair_folder(palace(), folder_.path() / "new").ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2) << "the palace and the file's";
}

}  // namespace
}  // namespace loci::chroma_tests
