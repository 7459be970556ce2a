#include "search/neighbours.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "store/embedded/embedded_backend.h"

namespace loci {
namespace {

class NeighboursTest : public testing::Test {
 protected:
  void SetUp() override {
    drawers_ =
        *backend_->collection(PalaceRef::at(folder_.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
    for (const char* source : {"a.md", "b.md"}) {
      // Not in the order of the source, as after an edit.
      for (const std::int64_t index : {4, 0, 2, 1, 3}) {
        add(source + std::string(":") + std::to_string(index), {{"wing", std::string("w")},
                                                                {"room", std::string(source)},
                                                                {"source_file", std::string(source)},
                                                                {"chunk_index", index}});
      }
    }
    add("alone", {{"wing", std::string("w")}});
  }

  void add(const std::string& id, Metadata metadata) {
    ASSERT_TRUE(
        drawers_->add(std::vector{Record{.id = id, .document = "text of " + id, .metadata = std::move(metadata)}})
            .ok());
  }

  // "before | after" of each record, by id.
  std::vector<std::string> around(const std::vector<std::string>& ids, std::size_t count) {
    std::vector<Record> records;
    for (const std::string& id : ids) records.push_back(drawers_->get({.selection = {.ids = {{id}}}})->front());
    std::vector<const Record*> asked;
    for (const Record& record : records) asked.push_back(&record);
    const Result<std::vector<Neighbours>> found = neighbours_of(*drawers_, asked, count);
    EXPECT_TRUE(found.ok());
    std::vector<std::string> texts;
    for (const Neighbours& neighbours : *found) {
      std::string& text = texts.emplace_back();
      for (const Record& record : neighbours.before) text += record.id + " ";
      text += "|";
      for (const Record& record : neighbours.after) text += " " + record.id;
    }
    return texts;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
  std::shared_ptr<Collection> drawers_;
};

TEST_F(NeighboursTest, AreThoseOfTheSameSourceInItsOrder) {
  EXPECT_EQ(around({"a.md:2"}, 1), (std::vector<std::string>{"a.md:1 | a.md:3"}));
  EXPECT_EQ(around({"a.md:2"}, 9), (std::vector<std::string>{"a.md:0 a.md:1 | a.md:3 a.md:4"}));
}

TEST_F(NeighboursTest, EndWhereTheSourceEnds) {
  EXPECT_EQ(around({"b.md:0", "b.md:4"}, 2), (std::vector<std::string>{"| b.md:1 b.md:2", "b.md:2 b.md:3 |"}));
}

TEST_F(NeighboursTest, ARecordWithoutASourceHasNone) {
  EXPECT_EQ(around({"alone", "a.md:1"}, 1), (std::vector<std::string>{"|", "a.md:0 | a.md:2"}));
}

TEST_F(NeighboursTest, NoneAreReadWhenNoneAreAskedFor) {
  EXPECT_EQ(around({"a.md:2"}, 0), (std::vector<std::string>{"|"}));
}

}  // namespace
}  // namespace loci
