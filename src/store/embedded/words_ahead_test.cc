#include "store/embedded/words_ahead.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "store/embedded/test_palace.h"
#include "text/tokenizer.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kTextsAhead = 400;  // enough for a thread

// Words of every kind that the tokenizer knows, in texts that differ.
std::string text_number(std::size_t number) {
  return "Running note " + std::to_string(number) + ": parseHttpHeader, v1." + std::to_string(number) +
         ".3, C++ and Grüße aus 東京都, 👩‍💻 (" + std::string(number % 200, 'x') + ") src/net/http.cc\n";
}

SourceUpdate source_of(std::size_t first, std::size_t count) {
  SourceUpdate update{.name = "/notes/" + std::to_string(first) + ".md", .state = "1"};
  for (std::size_t i = first; i < first + count; ++i) {
    const std::string text = text_number(i);
    update.records.push_back({.id = "drawer_" + std::to_string(i),
                              .document = text,
                              .content_hash = to_hex(sha256(text)),
                              .occurrence = 0,
                              .position = {}});
  }
  return update;
}

std::vector<std::pair<std::string, bool>> words_of(const std::string& text) {
  std::vector<std::pair<std::string, bool>> words;
  Tokenizer().tokenize(text, TokenizeFor::document, [&](const Token& token) {
    words.emplace_back(token.text, token.colocated);
    return 0;
  });
  return words;
}

std::vector<std::pair<std::string, bool>> unpacked(const PackedWords& packed) {
  std::vector<std::pair<std::string, bool>> words;
  for_each_word(packed, [&](bool is_colocated, std::string_view word) {
    words.emplace_back(word, is_colocated);
    return 0;
  });
  return words;
}

// Everything that the word index of the first collection says: term, row, position.
std::vector<std::string> index_of(const TestPalace& palace) {
  const std::unique_ptr<Connection> connection = palace.connect();
  EXPECT_TRUE(connection->execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, words_1, instance)").ok());
  Result<Statement> select = connection->prepare("SELECT term, doc, offset FROM v ORDER BY doc, offset, term");
  EXPECT_TRUE(select.ok());
  std::vector<std::string> lines;
  while (select->step().value()) {
    lines.push_back(std::string(select->text(0)) + " " + std::to_string(select->integer(1)) + " " +
                    std::to_string(select->integer(2)));
  }
  return lines;
}

TEST(WordsAheadTest, GivesEveryTextItsOwnWordsOrLeavesThemToTheWriter) {
  const std::vector<SourceUpdate> updates = {source_of(0, 150), source_of(150, 50), source_of(200, 200)};
  WordsAhead words(updates);
  std::size_t ahead = 0;
  for (std::size_t i = 0; i < kTextsAhead; i += 1 + i % 3) {  // some are left out
    const std::optional<PackedWords> packed = words.take(i);
    if (!packed) continue;
    ++ahead;
    EXPECT_EQ(unpacked(*packed), words_of(text_number(i)));
  }
  EXPECT_LE(ahead, kTextsAhead);
}

TEST(WordsAheadTest, LeavesTheWordsOfFewTextsToTheWriter) {
  const std::vector<SourceUpdate> updates = {source_of(0, 3)};
  WordsAhead words(updates);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(words.take(i));
}

TEST(WordsAheadTest, CanBeDroppedAtAnyMoment) {
  const std::vector<SourceUpdate> updates = {source_of(0, kTextsAhead)};
  for (std::size_t taken = 0; taken < 20; ++taken) {
    WordsAhead words(updates);
    for (std::size_t i = 0; i < taken; ++i) static_cast<void>(words.take(i));
  }
}

TEST(WordsAheadTest, WordsInHandAreTakenForThoseOfTheDocument) {
  TestPalace palace;
  palace.drawers();
  const std::unique_ptr<Connection> connection = palace.connect();
  const PackedWords packed(
      "\x03"
      "deed"
      "\x84"
      "gleam",
      11);
  {
    const WordsInHand in_hand(*connection, packed);
    ASSERT_TRUE(connection->execute("INSERT INTO words_1(rowid, text) VALUES (7, 'other words altogether')").ok());
  }
  ASSERT_TRUE(connection->execute("INSERT INTO words_1(rowid, text) VALUES (8, 'plain')").ok());
  EXPECT_EQ(index_of(palace), (std::vector<std::string>{"deed 7 0", "gleam 7 0", "plain 8 0"}));
}

TEST(WordsAheadTest, TheIndexOfALargeBatchIsThatOfItsTextsOneByOne) {
  TestPalace at_once;
  TestPalace one_by_one;
  const std::vector<SourceUpdate> updates = {source_of(0, 150), source_of(150, 50), source_of(200, 200)};
  ASSERT_TRUE(at_once.drawers()->replace_sources(updates).ok());
  const std::shared_ptr<Collection> drawers = one_by_one.drawers();
  for (std::size_t i = 0; i < kTextsAhead; ++i) {
    const std::vector<SourceUpdate> single = {source_of(i, 1)};
    ASSERT_TRUE(drawers->replace_sources(single).ok());
  }
  const std::vector<std::string> index = index_of(at_once);
  EXPECT_GT(index.size(), 10 * kTextsAhead);
  EXPECT_EQ(index, index_of(one_by_one));
}

TEST(WordsAheadTest, ABatchWhoseSourcesArePartlyThereKeepsTextsAndWordsTogether) {
  TestPalace palace;
  const std::shared_ptr<Collection> drawers = palace.drawers();
  std::vector<SourceUpdate> updates = {source_of(0, 150), source_of(150, 50), source_of(200, 200)};
  ASSERT_TRUE(drawers->replace_sources(std::span(updates).subspan(1, 1)).ok());  // found unchanged below
  updates[2].records.erase(updates[2].records.begin() + 5, updates[2].records.begin() + 90);
  ASSERT_TRUE(drawers->replace_sources(updates).ok());
  updates[2] = source_of(200, 200);
  updates[2].state = "2";
  ASSERT_TRUE(drawers->replace_sources(updates).ok());
  for (const std::size_t number : {0U, 149U, 150U, 199U, 200U, 250U, 299U, 399U}) {
    const auto hits = drawers->match({.text = "\"v1." + std::to_string(number) + ".3\"", .n_results = 5});
    ASSERT_TRUE(hits.ok());
    ASSERT_FALSE(hits->empty()) << number;
    EXPECT_EQ(hits->front().record.id, "drawer_" + std::to_string(number));
  }
}

}  // namespace
}  // namespace loci::embedded
