#include "store/chroma/metadata_tables.h"

#include <gtest/gtest.h>

#include "store/chroma/folder_backend.h"
#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

// Chroma ended between the queue and the tables of a write that has a list of each type.
class CatchUpTest : public testing::Test {
 protected:
  static constexpr const char* kMetadata =
      R"({"texts": ["b", "a"], "integers": [2, 1], "reals": [0.5, 2], "booleans": [true, false], "plain": 7})";

  void SetUp() override {
    folder_.queue(1, QueueOperation::add, "a", Embedding{1, 2});
    folder_.execute("UPDATE embeddings_queue SET metadata = '" + std::string(kMetadata) + "'");
  }
  // As release 1.5 leaves it.
  void make_room_for_lists() const {
    folder_.execute(
        "INSERT INTO migrations VALUES ('metadb', 6, '', '', ''); CREATE TABLE embedding_metadata_array(id INTEGER NOT "
        "NULL, key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER)");
  }
  Metadata metadata() const {
    const auto backend = make_chroma_folder_backend();
    const auto collection = backend->collection(PalaceRef::at(folder_.path()), "c", {.access = Access::read_only});
    const auto records = (*collection)->get({.selection = {.ids = {{"a"}}}});
    if (!records.ok()) throw std::runtime_error(records.error().message);
    return records->at(0).metadata;
  }
  const Metadata lists_{{"texts", std::vector<std::string>{"b", "a"}},
                        {"integers", std::vector<std::int64_t>{2, 1}},
                        {"reals", std::vector<double>{0.5, 2}},
                        {"booleans", std::vector<bool>{true, false}},
                        {"plain", std::int64_t{7}}};

  const MadeFolder folder_;
};

TEST_F(CatchUpTest, ListsOfTheQueueAreRead) {
  make_room_for_lists();
  EXPECT_EQ(metadata(), lists_);
}

TEST_F(CatchUpTest, ListsOfTheQueueAreStillThereAfterAWrite) {
  make_room_for_lists();
  {
    const auto backend = make_chroma_folder_backend();
    const auto collection = backend->collection(PalaceRef::at(folder_.path()), "c", {});
    ASSERT_TRUE((*collection)->upsert(std::vector<Record>{{.id = "other", .embedding = Embedding{3, 4}}}).ok());
  }
  EXPECT_EQ(folder_.text("SELECT count(*) FROM embedding_metadata_array"), "8");
  EXPECT_EQ(metadata(), lists_);
}

TEST_F(CatchUpTest, ADatabaseWithoutRoomForListsKeepsTheRest) {
  EXPECT_EQ(metadata(), (Metadata{{"plain", std::int64_t{7}}}));
}

}  // namespace
}  // namespace loci::chroma
