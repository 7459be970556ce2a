// An identifier, a code, a path or a quoted phrase that one drawer has comes first, whatever else the question says and
// whatever the vectors say.
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "search/hybrid_search.h"
#include "store/embedded/embedded_backend.h"

namespace loci {
namespace {

// LOCI_EXACT_DRAWERS=100000 tries as many.
std::size_t drawer_count() {
  const char* chosen = std::getenv("LOCI_EXACT_DRAWERS");
  return chosen == nullptr ? 3'000 : std::stoul(chosen);
}

constexpr std::size_t kRounds = 60;

// Every text means the question, but for the one that has the term, which means the opposite: vectors are all against
// it.
class HostileEmbedder final : public Embedder {
 public:
  std::string model_name() const override { return "hostile"; }
  std::size_t dimension() const override { return 2; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    std::vector<Embedding> vectors;
    for (const std::string& text : texts)
      vectors.push_back(text.starts_with("Needle") ? Embedding{-1, 0} : Embedding{1, 0});
    return vectors;
  }
};

class ExactTermsTest : public testing::Test {
 protected:
  std::string word() {
    static const std::vector<std::string> kWords = {"build",  "server", "error", "parser", "timeout", "queue",
                                                    "commit", "branch", "cache", "index",  "worker",  "thread"};
    return kWords[random_() % kWords.size()];
  }
  std::string words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + word();
    return text;
  }
  std::string number() { return std::to_string(1'000 + random_() % 9'000); }

  // As it stands in a drawer, and as it is asked for.
  std::pair<std::string, std::string> term(std::size_t round) {
    const std::string unique = std::to_string(round);
    switch (round % 5) {
      case 0: return {"E" + number() + "x" + unique, "E" + number()};
      case 1: return {"src/" + word() + "/" + word() + unique + ".cc", ""};
      case 2: return {"k" + std::string(1, 'A') + word() + "Limit" + unique, ""};
      case 3: return {word() + "_" + word() + "_" + unique, ""};
      default: return {"the " + word() + " stood on shelf " + unique + " of the hall", "quoted"};
    }
  }

  std::mt19937 random_{7};
};

TEST_F(ExactTermsTest, WhatOneDrawerHasComesFirstAlways) {
  const TemporaryFolder folder;
  const HostileEmbedder embedder;
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> drawers = *backend->collection(
      PalaceRef::at(folder.path() / "palace"), "drawers", {.if_missing = IfMissing::create, .embedder = &embedder});
  std::vector<Record> records;
  const std::size_t others = drawer_count();
  for (std::size_t i = 0; i < others; ++i)
    records.push_back({.id = "other" + std::to_string(i), .document = words(12) + " shelf of the hall"});
  std::vector<std::string> questions;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto [written, kind] = term(round);
    records.push_back(
        {.id = "needle" + std::to_string(round), .document = "Needle " + words(40) + " " + written + " end."});
    questions.push_back(words(6) + " " + (kind == "quoted" ? "\"" + written + "\"" : written) + " " + words(4) + "?");
  }
  ASSERT_TRUE(drawers->add(records).ok());
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Result<SearchAnswer> answer = hybrid_search(*drawers, &embedder, {.query = questions[round]});
    ASSERT_TRUE(answer.ok());
    ASSERT_FALSE(answer->hits.empty());
    EXPECT_EQ(answer->hits.front().record.id, "needle" + std::to_string(round)) << questions[round];
    EXPECT_EQ(answer->hits.front().exact.size(), 1U) << questions[round];
  }
}

}  // namespace
}  // namespace loci
