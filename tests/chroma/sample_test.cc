// Folders written by real Chroma, of several releases and in several states of damage, compared with what was put in.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "store/chroma/folder_backend.h"
#include "tests/chroma/sample_folder.h"

namespace loci::chroma_tests {
namespace {

using Json = nlohmann::json;

// How many records of a sample come out without a vector, though quarantined copies are used: as many as were cut off;
// and, where the labels are lost and the queue deletes records, all that are not in the queue, since nobody can say
// with certainty which label was whose.
std::size_t number_without(const std::string& sample, const std::string& collection) {
  static const std::map<std::string, std::map<std::string, std::size_t>> kWithout = {
      {"data-truncated-1.5.9", {{"cos", 478}, {"l2c", 482}}},
      {"pickle-missing-1.5.9", {{"cos", 1157}, {"l2c", 1159}}},
  };
  const auto found = kWithout.find(sample);
  return found == kWithout.end() ? 0 : found->second.at(collection);
}

bool is_same(const MetadataValue& value, const Json& json) {
  if (json.is_string()) return value == MetadataValue(json.get<std::string>());
  if (json.is_boolean()) return value == MetadataValue(json.get<bool>());
  if (json.is_number_integer() && std::holds_alternative<std::int64_t>(value))
    return std::get<std::int64_t>(value) == json.get<std::int64_t>();
  if (json.is_number() && std::holds_alternative<double>(value)) return std::get<double>(value) == json.get<double>();
  return json.is_number() && std::holds_alternative<std::int64_t>(value) &&
         static_cast<double>(std::get<std::int64_t>(value)) == json.get<double>();
}

class SampleTest : public testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    unpack(GetParam(), folder_.path());
    root_ = folder_.path() / name_of(GetParam());
    expected_ = Json::parse(content_of(root_ / "expected.json")).at("collections");
  }
  std::filesystem::path palace() const { return root_ / "dir"; }
  const Json& expected() const { return expected_; }
  std::vector<float> vectors_of(const std::string& collection) const {
    const std::string bytes = content_of(root_ / (collection + ".expected.f32"));
    std::vector<float> vectors(bytes.size() / sizeof(float));
    std::memcpy(vectors.data(), bytes.data(), vectors.size() * sizeof(float));
    return vectors;
  }

 private:
  const TemporaryFolder folder_;
  std::filesystem::path root_;
  Json expected_;
};

TEST_P(SampleTest, EveryTextAndVectorThatIsThereComesOutAndNothingIsTouched) {
  const auto before = contents_of(palace());
  const auto backend = make_chroma_folder_backend({.copies = chroma::Copies::used});
  for (const auto& [name, collection] : expected().items()) {
    const auto opened = backend->collection(PalaceRef::at(palace()), name, {.access = Access::read_only});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_EQ(to_string((*opened)->info()->metric), collection.at("space").get<std::string>());
    const auto records = (*opened)->get({.include = {.embeddings = true}});
    ASSERT_TRUE(records.ok()) << records.error().message;
    std::map<std::string, const Record*> by_id;
    for (const Record& record : *records) by_id.emplace(record.id, &record);
    const std::vector<float> vectors = vectors_of(name);
    const std::size_t dimension = collection.at("dim");
    const bool is_cosine = collection.at("space") == "cosine";
    std::size_t without = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < collection.at("ids").size(); ++i) {
      const std::string id = collection.at("ids")[i];
      const auto found = by_id.find(id);
      ASSERT_TRUE(found != by_id.end()) << id << " was acknowledged and is gone";
      const Record& record = *found->second;
      const Json& document = collection.at("documents")[i];
      EXPECT_EQ(record.document, document.is_null() ? "" : document.get<std::string>());
      const Json& metadata = collection.at("metadatas")[i];
      if (metadata.is_object()) {
        for (const auto& [key, value] : metadata.items()) {
          ASSERT_TRUE(record.metadata.contains(key)) << id << " " << key;
          EXPECT_TRUE(is_same(record.metadata.at(key), value)) << id << " " << key;
        }
      }
      if (!record.embedding) {
        ++without;
        continue;
      }
      ASSERT_EQ(record.embedding->size(), dimension);
      for (std::size_t j = 0; j < dimension; ++j) {
        const float want = vectors[i * dimension + j];
        const float got = (*record.embedding)[j];
        const bool is_right = is_cosine ? std::abs(want - got) <= 1e-5F : std::memcmp(&want, &got, sizeof want) == 0;
        if (is_right) continue;
        ++wrong;
        break;
      }
    }
    EXPECT_EQ(wrong, 0U) << name;
    EXPECT_EQ(without, number_without(name_of(GetParam()), name)) << name;
  }
  backend->close();
  EXPECT_EQ(contents_of(palace()), before) << "reading changed the folder";
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampleTest);
INSTANTIATE_TEST_SUITE_P(Samples, SampleTest, testing::ValuesIn(archives_in("chroma")),
                         [](const auto& each) { return test_name_of(each.param); });

TEST(SamplesTest, AreThere) {
  if (archives_in("chroma").empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no Chroma folders";
  EXPECT_EQ(archives_in("chroma").size(), 13U);
}

TEST(SamplesTest, FoldersOfOtherPeopleOpenWithEveryVector) {
  const auto archives = archives_in("chroma-public");
  if (archives.empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no public Chroma folders";
  std::size_t folders = 0;
  for (const std::filesystem::path& archive : archives) {
    const TemporaryFolder folder;
    unpack(archive, folder.path());
    const auto before = contents_of(folder.path());
    const auto backend = make_chroma_folder_backend();
    for (const auto& [file, content] : before) {
      if (std::filesystem::path(file).filename() != "chroma.sqlite3") continue;
      ++folders;
      const PalaceRef palace = PalaceRef::at(std::filesystem::path(file).parent_path());
      const auto collections = backend->collections(palace, Access::read_only);
      ASSERT_TRUE(collections.ok()) << file << ": " << collections.error().message;
      for (const CollectionInfo& info : *collections) {
        EXPECT_EQ(info.pending, 0U) << file << " " << info.name;
        const auto collection = backend->collection(palace, info.name, {.access = Access::read_only});
        ASSERT_TRUE(collection.ok());
        EXPECT_TRUE((*collection)->get({.include = {.embeddings = true}}).ok()) << file;
      }
    }
    backend->close();
    EXPECT_EQ(contents_of(folder.path()), before);
  }
  EXPECT_EQ(folders, 8U);
}

}  // namespace
}  // namespace loci::chroma_tests
