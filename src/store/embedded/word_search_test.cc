#include "store/embedded/word_search.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/test_palace.h"
#include "text/query_words.h"

namespace loci::embedded {
namespace {

constexpr int kDocuments = 400;
constexpr int kVocabulary = 60;

// Words without parts and without other forms.
std::string word(std::size_t number) {
  return {'q', static_cast<char>('a' + number / 26), static_cast<char>('a' + number % 26), 'q'};
}

// Few words are common and many are rare; texts are short and long.
std::vector<std::vector<std::string>> random_texts(std::mt19937_64& random) {
  std::vector<std::vector<std::string>> texts;
  for (int i = 0; i < kDocuments; ++i) {
    std::vector<std::string>& words = texts.emplace_back();
    const std::size_t size = 1 + random() % 40;
    while (words.size() < size) {
      const double part = static_cast<double>(random() >> 11) * 0x1p-53;
      words.push_back(word(static_cast<std::size_t>(part * part * part * kVocabulary)));
    }
  }
  return texts;
}

// BM25 of every text as a share of what the question could reach, computed from the words themselves.
std::vector<double> shares(const std::vector<std::vector<std::string>>& texts,
                           const std::vector<std::string>& question) {
  double words = 0;
  for (const auto& text : texts) words += static_cast<double>(text.size());
  const double average = words / static_cast<double>(texts.size());
  std::vector<double> scores(texts.size(), 0);
  double best = 0;
  for (const std::string& asked : question) {
    double with_word = 0;
    for (const auto& text : texts) with_word += std::count(text.begin(), text.end(), asked) > 0 ? 1 : 0;
    const double rarity = std::log1p((static_cast<double>(texts.size()) - with_word + 0.5) / (with_word + 0.5));
    best += rarity * 2.2;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto count = static_cast<double>(std::count(texts[i].begin(), texts[i].end(), asked));
      const double length = 0.25 + 0.75 * static_cast<double>(texts[i].size()) / average;
      scores[i] += rarity * count * 2.2 / (count + 1.2 * length);
    }
  }
  for (double& score : scores) score /= best;
  return scores;
}

class WordSearchTest : public testing::Test {
 protected:
  void store(const std::vector<std::vector<std::string>>& texts) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string document;
      for (const std::string& next : texts[i]) document += next + " ";
      records.push_back(record(std::to_string(i), document, {{"even", i % 2 == 0}}));
    }
    ASSERT_TRUE(drawers_->add(records).ok());
  }

  TestPalace palace_;
  std::shared_ptr<Collection> drawers_ = palace_.drawers();
};

TEST_F(WordSearchTest, TheBestAreThoseOfRankingEveryRow) {
  std::mt19937_64 random(11);
  const auto texts = random_texts(random);
  store(texts);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> question;
    std::string asked;
    const std::size_t size = 1 + random() % 9;
    while (question.size() < size) {
      const std::string next = word(random() % kVocabulary);
      if (std::count(question.begin(), question.end(), next) > 0) continue;
      asked += next + " ";
      question.push_back(next);
    }
    const bool only_even = round % 3 == 0;
    std::vector<std::pair<double, std::size_t>> expected;
    const std::vector<double> scores = shares(texts, question);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] > 0 && (!only_even || i % 2 == 0)) expected.emplace_back(scores[i], i);
    }
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    const std::size_t wanted = 1 + random() % 30;
    if (expected.size() > wanted) expected.resize(wanted);

    MatchRequest request{.text = asked, .n_results = wanted};
    if (only_even) request.where = *parse_filter(R"({"even": true})");
    const auto hits = drawers_->match(request);
    ASSERT_TRUE(hits.ok()) << hits.error().message;
    ASSERT_EQ(hits->size(), expected.size()) << asked;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR((*hits)[i].score, expected[i].first, 1e-9) << asked;
      // Which of two texts that are equally good comes first may hang on the last bit.
      EXPECT_NEAR(scores[std::stoul((*hits)[i].record.id)], expected[i].first, 1e-9) << asked;
    }
  }
}

TEST_F(WordSearchTest, EqualScoresComeInTheOrderOfTheirRows) {
  store(std::vector<std::vector<std::string>>(20, {"same", "words"}));
  const auto hits = drawers_->match({.text = "same", .n_results = 5});
  ASSERT_TRUE(hits.ok());
  for (std::size_t i = 0; i < hits->size(); ++i) EXPECT_EQ((*hits)[i].record.id, std::to_string(i));
}

TEST_F(WordSearchTest, OfManyRowsWithTheWordOnceTheShortestAreBest) {
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < 300; ++i) {
    texts.push_back({"same"});
    texts.back().resize(1 + i * 7 % 50, "filler");
  }
  store(texts);
  const auto hits = drawers_->match({.text = "same", .n_results = 6});
  ASSERT_TRUE(hits.ok());
  std::vector<std::string> ids;
  for (const WordHit& hit : *hits) ids.push_back(hit.record.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"0", "50", "100", "150", "200", "250"}));
}

TEST_F(WordSearchTest, AFilterThatLeavesOneRowReturnsIt) {
  std::mt19937_64 random(12);
  store(random_texts(random));
  ASSERT_TRUE(drawers_->add(batch(record("only", word(0), {{"wing", std::string("here")}}))).ok());
  const auto hits = drawers_->match({.text = word(0), .n_results = 3, .where = *parse_filter(R"({"wing": "here"})")});
  ASSERT_TRUE(hits.ok());
  ASSERT_EQ(hits->size(), 1U);
  EXPECT_EQ(hits->front().record.id, "only");
}

TEST_F(WordSearchTest, RowsThatAreGoneOrChangedAreNotFoundByTheirOldWords) {
  std::mt19937_64 random(13);
  store(random_texts(random));
  ASSERT_TRUE(drawers_->add(batch(record("a", "zebra"), record("b", "zebra crossing"))).ok());
  ASSERT_EQ(drawers_->match({.text = "zebra"})->size(), 2U);
  ASSERT_TRUE(drawers_->erase({.ids = {{"a"}}}).ok());
  ASSERT_TRUE(drawers_->update(std::vector<RecordUpdate>{{.id = "b", .document = "a longer text about lions"}}).ok());
  EXPECT_TRUE(drawers_->match({.text = "zebra"})->empty());
  EXPECT_EQ(drawers_->match({.text = "lions"})->size(), 1U);
}

}  // namespace
}  // namespace loci::embedded
