#include "store/embedded/duplicates.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/embedded/schema.h"
#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

// A palace as an older program may have left it: no unique index, and two processes that both inserted the same chunk.
class DuplicatesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto drawers = palace_.drawers();
    Record often_used = ingested("often-used", "the same words", "/notes.md");
    often_used.metadata = {{"tags", std::vector<std::string>{"a"}}, {"wing", "w"}};
    Record late = ingested("late", "the same words", "/notes.md", 1);  // made a duplicate below
    late.metadata = {{"tags", std::vector<std::string>{"b", "a"}}, {"wing", "w"}};
    late.embedding = Embedding{0.5F, 0.25F};
    Record other = ingested("other", "other words", "/notes.md");
    ASSERT_TRUE(drawers->add(std::vector{often_used, late, other}).ok());
    palace_.reopen();
    palace_.execute(
        "DROP INDEX records_by_key;"
        "UPDATE records SET occurrence = 0 WHERE id = 'late';"
        "UPDATE records SET use_count = 5 WHERE id = 'often-used'; UPDATE records SET use_count = 2 WHERE id = 'late';"
        "INSERT INTO links SELECT row, 'see', 'other' FROM records WHERE id = 'late';"
        "INSERT INTO links SELECT row, 'from', 'late' FROM records WHERE id = 'other';");
  }

  TestPalace palace_;
};

TEST_F(DuplicatesTest, TheMostUsedRecordStaysAndTakesOverWhatTheOthersHad) {
  const auto drawers = palace_.drawers();
  EXPECT_EQ(*drawers->count(), 2U);
  const auto records =
      drawers->get({.selection = {.ids = {{"often-used", "late"}}}, .include = {.embeddings = true, .details = true}});
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 1U);
  const Record& kept = records->front();
  EXPECT_EQ(kept.id, "often-used");
  EXPECT_EQ(kept.details->use_count, 7);
  EXPECT_EQ(kept.details->links, (std::vector<Link>{{"see", "other"}}));
  EXPECT_EQ(kept.metadata.at("tags"), MetadataValue(std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(kept.metadata.at("wing"), MetadataValue("w"));
  EXPECT_EQ(kept.embedding, (Embedding{0.5F, 0.25F}));
  const auto other = drawers->get({.selection = {.ids = {{"other"}}}, .include = {.details = true}});
  EXPECT_EQ(other->front().details->links, (std::vector<Link>{{"from", "often-used"}}));
}

TEST_F(DuplicatesTest, NothingOfTheOthersIsLeftBehind) {
  const std::int64_t late = palace_.query("SELECT row FROM records WHERE id = 'late'");
  ASSERT_NE(palace_.drawers(), nullptr);
  for (const char* table : {"records", "documents", "vectors", "links"}) {
    EXPECT_EQ(palace_.query("SELECT count(*) FROM " + std::string(table) + " WHERE row = " + std::to_string(late)), 0)
        << table;
  }
  const auto hits = palace_.drawers()->match({.text = "same"});
  ASSERT_TRUE(hits.ok());
  ASSERT_EQ(hits->size(), 1U);
  EXPECT_EQ(hits->front().record.id, "often-used");
  const auto changes = palace_.drawers()->changes_since(3, 100);
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ(changes->front().id, "late");
  EXPECT_EQ(changes->front().kind, ChangeKind::erased);
}

TEST_F(DuplicatesTest, ASecondStartDoesNothing) {
  ASSERT_NE(palace_.drawers(), nullptr);
  const std::int64_t seq = palace_.query("SELECT value FROM palace WHERE key = 'seq'");
  palace_.reopen();
  ASSERT_NE(palace_.drawers(), nullptr);
  EXPECT_EQ(palace_.query("SELECT value FROM palace WHERE key = 'seq'"), seq);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM sqlite_schema WHERE name = 'records_by_key'"), 1);
}

TEST_F(DuplicatesTest, OfEqualUseTheOldestStays) {
  palace_.execute(
      "UPDATE records SET use_count = 0; UPDATE records SET created_at = created_at - 1000 WHERE id = 'late'");
  EXPECT_EQ(palace_.drawers()->get({.selection = {.ids = {{"late"}}}})->size(), 1U);
  EXPECT_EQ(*palace_.drawers()->count(), 2U);
}

class ProcessesTest : public DuplicatesTest, public testing::WithParamInterface<int> {};

TEST_P(ProcessesTest, ThatStartAtOnceMendItOnce) {
  palace_.reopen();
  int start[2];
  ASSERT_EQ(::pipe(start), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < GetParam(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(start[1]);
      char byte = 0;
      while (::read(start[0], &byte, 1) > 0) {
      }
      const auto backend = make_embedded_backend();
      const auto opened = backend->collection(palace_.ref(), "drawers", {});
      ::_exit(opened.ok() && *(*opened)->count() == 2 ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(start[0]);
  ::close(start[1]);  // all of them start now
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const auto kept = palace_.drawers()->get({.selection = {.ids = {{"often-used"}}}, .include = {.details = true}});
  EXPECT_EQ(kept->front().details->use_count, 7) << "merged once, not twice";
}

INSTANTIATE_TEST_SUITE_P(Count, ProcessesTest, testing::Values(2, 4, 8));

TEST_F(DuplicatesTest, HashesThatBeginAlikeAreNoDuplicatesAndDoNotStopTheMending) {
  palace_.execute(
      "UPDATE records SET content_hash = unhex(substr(hex(content_hash), 1, 32) || '00') WHERE id = 'late'");
  const auto drawers = palace_.drawers();
  ASSERT_NE(drawers, nullptr);
  EXPECT_EQ(*drawers->count(), 3U);
  EXPECT_EQ(palace_.query("SELECT occurrence FROM records WHERE id = 'late'"), 1);
}

TEST_F(DuplicatesTest, AHashThatBeginsLikeThatOfAnotherTextIsRefused) {
  Record made_up = ingested("made-up", "a text of its own", "/notes.md");
  std::string& hash = made_up.details->key->content_hash;
  hash = ingested("", "other words", "").details->key->content_hash.substr(0, 32) + std::string(32, '0');
  const auto drawers = palace_.drawers();
  const auto refused = drawers->upsert(batch(made_up));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_NE(refused.error().message.find("made-up"), std::string::npos) << refused.error().message;
  hash = std::string(64, '0');
  EXPECT_TRUE(drawers->upsert(batch(made_up)).ok());
  hash.back() = '1';
  EXPECT_TRUE(drawers->upsert(batch(made_up)).ok()) << "its own key may change";
}

TEST_F(DuplicatesTest, DuplicateIdsAreMergedWhenThatIndexIsLost) {
  palace_.execute("DROP INDEX records_by_id; UPDATE records SET id = 'often-used' WHERE id = 'late'");
  EXPECT_EQ(palace_.drawers()->get({.selection = {.ids = {{"often-used"}}}})->size(), 1U);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM records"), 2);
}

}  // namespace
}  // namespace loci::embedded
