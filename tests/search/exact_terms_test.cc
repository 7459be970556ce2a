// An identifier, a code, a path or a quoted phrase that one drawer has comes first, whatever else the question says and
// whatever the vectors say.
#include <cstdlib>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
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

// A needle among rivals: whatever these have in common with the question, the needle has the term as it is asked for.
struct RivalCase {
  std::string_view name;
  std::string_view needle;  // the text that is meant
  std::string_view rival;
  std::string_view question;
};

void PrintTo(const RivalCase& rival_case, std::ostream* out) { *out << rival_case.name; }

class ExactTermAmongRivalsTest : public testing::TestWithParam<RivalCase> {};

TEST_P(ExactTermAmongRivalsTest, TheNeedleComesFirst) {
  const RivalCase& asked = GetParam();
  const TemporaryFolder folder;
  const HostileEmbedder embedder;
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> drawers = *backend->collection(
      PalaceRef::at(folder.path() / "palace"), "drawers", {.if_missing = IfMissing::create, .embedder = &embedder});
  std::vector<Record> records = {{.id = "needle", .document = "Needle " + std::string(asked.needle) + " end"}};
  for (int i = 0; i < 150; ++i)
    records.push_back({.id = "rival" + std::to_string(i), .document = std::string(asked.rival)});
  for (std::size_t i = 1; i < records.size(); ++i) records[i].document += " " + std::to_string(i) + " more";
  ASSERT_TRUE(drawers->add(records).ok());
  const Result<SearchAnswer> answer = hybrid_search(*drawers, &embedder, {.query = std::string(asked.question)});
  ASSERT_TRUE(answer.ok());
  ASSERT_FALSE(answer->hits.empty());
  EXPECT_EQ(answer->hits.front().record.id, "needle");
}

constexpr RivalCase kRivalCases[] = {
    {"spelling", "parse_http_header", "parseHttpHeader is called before the body is read",
     "where is parse_http_header called before the body is read"},
    {"path", "src/main.cc", "the entry of lib/src/main.cc and its arguments", "entry and arguments of src/main.cc"},
    {"phrase", "we are running testing here", "they run tests on a loud worker", "loud worker \"running testing\""},
    {"wrapped", "a silver\n  heron flew", "the silver heron, which flew over the lake", "lake \"silver heron flew\""},
    {"spaced_query", "a silver heron flew", "a heron of silver flew", "\"silver  heron flew\""},
    {"script", "ЗИМНИЙ САД закрыт", "зимние сады и зимнее утро", "\"зимний сад\""},
    {"capitals", "failed: ENOSPC", "the disk failed while the upload ran",
     "why did the upload fail with ENOSPC on disk"},
    {"number", "error 139264 seen", "the worker stopped with an error at night",
     "worker stopped at night: error 139264"},
    {"flag", "git commit --no-verify", "no commit verifies the hooks of the branch", "hooks of the branch --no-verify"},
    {"hyphens", "uses text-embedding-ada", "text embedding for ada, a model", "model text-embedding-ada"},
    {"ninth", "needle_nine", "the nine needles of the many absent ones",
     "a_1x b_2x c_3x d_4x e_5x f_6x g_7x h_8x many absent needle_nine"},
};
INSTANTIATE_TEST_SUITE_P(Terms, ExactTermAmongRivalsTest, testing::ValuesIn(kRivalCases),
                         [](const auto& rival_case) { return std::string(rival_case.param.name); });

TEST_F(ExactTermsTest, AQuotedPhraseThatStandsNowhereIsLookedForByItsWords) {
  const TemporaryFolder folder;
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> drawers =
      *backend->collection(PalaceRef::at(folder.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
  std::vector<Record> records = {
      {.id = "rebase", .document = "git rebase has an option for that: --autosquash reorders the fixups"},
      {.id = "kept", .document = "a silver heron flew over the lake"},
      {.id = "far", .document = "the heron over the silver lake flew"},
      {.id = "work", .document = "how it does work in the other work"}};
  ASSERT_TRUE(drawers->add(records).ok());
  const auto ask = [&](std::string query) { return *hybrid_search(*drawers, nullptr, {.query = std::move(query)}); };
  const SearchAnswer whole = ask("\"git rebase autosquash option\"");
  ASSERT_FALSE(whole.hits.empty());
  EXPECT_EQ(whole.hits.front().record.id, "rebase");
  EXPECT_EQ(whole.lost_phrases, std::vector<std::string>{"git rebase autosquash option"});
  const SearchAnswer part = ask("how does \"git rebase --autosquash interactive\" work");
  EXPECT_EQ(part.hits.front().record.id, "rebase");
  EXPECT_EQ(part.searched_for, "how does git rebase --autosquash interactive work");
  const SearchAnswer kept = ask("\"silver heron flew\"");
  EXPECT_EQ(kept.hits.size(), 1U) << "a phrase that stands somewhere stays one";
  EXPECT_TRUE(kept.lost_phrases.empty());
}

TEST_F(ExactTermsTest, ANumberInALogDecidesNothing) {
  const TemporaryFolder folder;
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> drawers =
      *backend->collection(PalaceRef::at(folder.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
  const std::vector<Record> records = {{.id = "ticket", .document = "PROJ-1073 is about the colours of the shop"},
                                       {.id = "timeouts", .document = "we moved the timeouts to 30 seconds"}};
  ASSERT_TRUE(drawers->add(records).ok());
  std::string log;
  for (int i = 0; i < 30; ++i) log += "12:00:10 INFO worker is done with the item " + std::to_string(1044 + i) + "\n";
  const SearchAnswer asked =
      *hybrid_search(*drawers, nullptr, {.query = "Why did we move timeouts to 30 seconds? The log:\n" + log});
  EXPECT_EQ(asked.hits.front().record.id, "timeouts");
  const SearchAnswer pasted = *hybrid_search(*drawers, nullptr, {.query = log});
  EXPECT_TRUE(pasted.facts.exact_terms.empty());
}

class ProseTest : public testing::TestWithParam<RivalCase> {};

TEST_P(ProseTest, AWordThatLooksLikeATermHidesNoAnswer) {
  const RivalCase& asked = GetParam();
  const TemporaryFolder folder;
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const std::shared_ptr<Collection> drawers =
      *backend->collection(PalaceRef::at(folder.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
  std::vector<Record> records = {{.id = "answer", .document = std::string(asked.needle)},
                                 {.id = "other", .document = std::string(asked.rival)}};
  for (int i = 0; i < 30; ++i)
    records.push_back(
        {.id = std::to_string(i),
         .document = "a text about nothing that goes on for a while and says no more than it did before"});
  ASSERT_TRUE(drawers->add(records).ok());
  const Result<SearchAnswer> answer = hybrid_search(*drawers, nullptr, {.query = std::string(asked.question)});
  ASSERT_TRUE(answer.ok());
  ASSERT_FALSE(answer->hits.empty());
  EXPECT_EQ(answer->hits.front().record.id, "answer");
}

constexpr RivalCase kProseCases[] = {
    {"shouted", "Anna adopted a kitten from the shelter", "the WHERE clause", "WHERE DID ANNA ADOPT HER KITTEN"},
    {"year", "Anna adopted a kitten from the shelter", "in 2019 it rained", "did Anna adopt a kitten in 2019 or later"},
    {"tied", "Anna met the painter of the harbour murals at the market in Lisbon", "a well-known recipe for soup",
     "which well-known painter of harbour murals did Anna meet at the market in Lisbon"},
};
INSTANTIATE_TEST_SUITE_P(Questions, ProseTest, testing::ValuesIn(kProseCases),
                         [](const auto& rival_case) { return std::string(rival_case.param.name); });

}  // namespace
}  // namespace loci
