// `search`, as people type it and as programs read it: filters, what stands around a hit, budgets, reasons.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "embed/make_embedder.h"
#include "loci/backend.h"
#include "search/hybrid_search.h"
#include "store/embedded/embedded_backend.h"
#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class SearchCommandTest : public EndToEndTest {
 protected:
  std::string found(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "search");
    return ids_of(json(std::move(arguments)).at("hits"));
  }
  static std::string ids_of(const Json& list) {
    std::string ids;
    for (const Json& item : list) ids += (ids.empty() ? "" : " ") + item.at("id").get<std::string>();
    return ids;
  }

  void add(const std::string& id, const std::string& text, const std::string& metadata) {
    ok({"add", text, "--id", id, "--metadata", metadata});
  }

  // A file of several drawers, each about a subject of its own.
  void mine_notes() {
    std::string text;
    for (const char* subject : {"apples", "berries", "cherries", "dates"}) {
      text += "# About " + std::string(subject) + "\n\n";
      for (int i = 0; i < 20; ++i) text += "We like " + std::string(subject) + " more than anything else there is. ";
      text += "\n\n";
    }
    write(folder() / "notes" / "fruit.md", text);
    ok({"mine", (folder() / "notes").string(), "--wing", "garden"});
  }
};

TEST_F(SearchCommandTest, EveryFilterActsInsideTheSearch) {
  // Others have the word more often, so that a filter behind the cut would leave nothing.
  for (int i = 0; i < 12; ++i) ok({"add", "tea tea tea tea", "--id", "other-" + std::to_string(i)});
  add("tagged", "a text of some length that mentions tea once", R"({"tags": ["drinks", "hot"]})");
  add("said", "a text of some length that mentions tea once more", R"({"role": "user", "agent": "claude"})");
  add("coded", "a text of some length that mentions tea yet again", R"({"kind": "code"})");
  add("old", "a text of some length that mentions tea long ago", R"({"content_date": "2019-05-17"})");
  ok({"add", "a text of some length that mentions tea in a file", "--id", "filed", "--source", "/home/ana/drinks.md"});
  EXPECT_EQ(found({"tea", "--limit", "1", "--tag", "hot"}), "tagged");
  EXPECT_EQ(found({"tea", "--limit", "1", "--role", "user"}), "said");
  EXPECT_EQ(found({"tea", "--limit", "1", "--agent", "claude"}), "said");
  EXPECT_EQ(found({"tea", "--limit", "1", "--kind", "code"}), "coded");
  EXPECT_EQ(found({"tea", "--limit", "1", "--source", "drinks.md"}), "filed");
  EXPECT_EQ(found({"tea", "--limit", "1", "--on", "2019-05"}), "old");
  EXPECT_EQ(found({"tea", "--limit", "1", "--before", "2020"}), "old");
  EXPECT_EQ(found({"tea", "--since", "2019-05-18", "--before", "2019-06-01"}), "");
  EXPECT_EQ(json({"search", "tea", "--since", "yesterday"}).at("drawers_in_scope"), 16);
  EXPECT_EQ(json({"list", "--on", "2019-05-17"}).at("total"), 1);
  EXPECT_EQ(json({"list", "--tag", "drinks"}).at("total"), 1);
  EXPECT_EQ(json({"delete", "--before", "2020", "--dry-run"}).at("deleted"), 1);
  expect_failure({"search", "tea", "--since", "soon"}, 2, "cannot read the time \"soon\"");
  expect_failure({"search", "tea", "--on", "2019", "--since", "7d"}, 2, "leave out");
}

TEST_F(SearchCommandTest, AWingIsFoundHoweverItIsSpelledAndAnUnknownOneIsNamed) {
  write(folder() / "notes" / "a.md", "We like green tea.\n");
  ok({"mine", (folder() / "notes").string(), "--wing", "my_project_x"});
  EXPECT_EQ(json({"search", "tea", "--wing", "my-Project.X"}).at("drawers_in_scope"), 1);
  EXPECT_EQ(json({"list", "--wing", "my-project-x"}).at("total"), 1);
  ok({"add", "black tea", "--wing", "my-project.x"});
  write(folder() / "notes" / "b.md", "We like white tea.\n");
  EXPECT_EQ(json({"mine", (folder() / "notes").string(), "--wing", "My-Project-X"}).at("wing"), "my_project_x");
  EXPECT_EQ(json({"status"}).at("wings").size(), 1U);
  const std::string shown = ok({"search", "tea", "--wing", "my_projekt_x"});
  EXPECT_NE(shown.find("no drawer is in the wing my_projekt_x; did you mean my_project_x?"), std::string::npos)
      << shown;
  EXPECT_NE(ok({"list", "--wing", "bank"}).find("no drawer is in the wing bank"), std::string::npos);
  EXPECT_NE(ok({"recall", "--wing", "bank"}).find("no drawer is in the wing bank"), std::string::npos);
  expect_failure({"add", "tea", "--wing", "../../etc"}, 2, "slash");
  expect_failure({"add", "tea", "--room", "a/b"}, 2, "slash");
  write(folder() / "notes" / "loci.yaml", "wing: ../x\n");
  expect_failure({"mine", (folder() / "notes").string()}, 2, "slash");
}

TEST_F(SearchCommandTest, WhatWasSaidOfAFolderHoldsForItsPartsUntilSomethingElseIsSaid) {
  const std::string notes = (folder() / "notes").string();
  write(folder() / "notes" / "letters" / "a.md", "We like green tea.\n");
  ok({"mine", notes, "--wing", "Family", "--chunk-size", "500"});
  ok({"add", "black tea", "--wing", "family"});
  const Json part = json({"mine", notes + "/letters"});
  EXPECT_EQ(part.at("wing"), "Family");
  EXPECT_EQ(part.at("project"), part.at("root").get<std::string>().substr(0, notes.size()));
  EXPECT_EQ(part.at("kept"), (Json{{"wing", "Family"}, {"chunk_size", 500}}));
  ok({"mine", notes + "/letters", "--wing", "post"});
  const std::string shown = ok({"mine", notes});
  EXPECT_NE(shown.find("as before: --wing Family --chunk-size 500\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("notes/letters: --wing post\n"), std::string::npos) << shown;
  EXPECT_EQ(json({"search", "green tea", "--wing", "post"}).at("drawers_in_scope"), 1);
}

TEST_F(SearchCommandTest, AHitSaysWhereInItsSourceItStands) {
  mine_notes();
  const Json hit = json({"search", "cherries", "--limit", "1"}).at("hits").at(0);
  const std::string text = read(folder() / "notes" / "fruit.md");
  const std::size_t start = hit.at("bytes").at("start");
  const std::size_t end = hit.at("bytes").at("end");
  EXPECT_EQ(hit.at("document"), text.substr(start, end - start)) << "the very bytes of the file";
  EXPECT_EQ(hit.at("lines").at("start"), 1 + std::count(text.begin(), text.begin() + static_cast<long>(start), '\n'));
  EXPECT_EQ(json({"get", hit.at("id")}).at("drawers").at(0).at("document"), hit.at("document"));
  for (const Json& mark : hit.at("highlights")) {
    const std::size_t from = mark.at("start");
    const std::size_t to = mark.at("end");
    EXPECT_EQ(hit.at("document").get<std::string>().substr(from, to - from), "cherries");
  }
  EXPECT_NE(ok({"search", "cherries", "--limit", "1"}).find("fruit.md:"), std::string::npos);
}

TEST_F(SearchCommandTest, ContextShowsWhatStandsAroundAHit) {
  mine_notes();
  const Json hit = json({"search", "cherries", "--limit", "1", "--context", "1"}).at("hits").at(0);
  const Json& before = hit.at("context").at("before");
  const Json& after = hit.at("context").at("after");
  ASSERT_EQ(before.size(), 1U);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(before.at(0).at("bytes").at("end"), hit.at("bytes").at("start"));
  EXPECT_EQ(after.at(0).at("bytes").at("start"), hit.at("bytes").at("end"));
  EXPECT_NE(ok({"search", "cherries", "--limit", "1", "--context", "1"}).find("| # About dates"), std::string::npos);
}

TEST_F(SearchCommandTest, ABudgetLeavesOutWholeDrawersAndNamesThem) {
  ok({"add", "tea and tea", "--id", "short"});
  ok({"add", "tea " + std::string(200, 'x'), "--id", "long"});
  const Json answer = json({"search", "tea", "--max-chars", "50"});
  EXPECT_EQ(ids_of(answer.at("hits")), "short");
  ASSERT_EQ(ids_of(answer.at("left_out")), "long");
  EXPECT_EQ(answer.at("left_out").at(0).at("characters"), 204);
  EXPECT_NE(ok({"search", "tea", "--max-chars", "50"}).find("1 drawer left out"), std::string::npos);
  EXPECT_EQ(answer.at("left_out").at(0).at("tokens"), 51);
  EXPECT_TRUE(json({"search", "tea"}).at("left_out").empty());
  EXPECT_EQ(ids_of(json({"search", "tea", "--max-tokens", "10"}).at("hits")), "short");
  EXPECT_NE(ok({"search", "tea", "--max-chars", "5"}).find("2 drawers found among 2 drawers, but too long"),
            std::string::npos);
}

TEST_F(SearchCommandTest, ExplainSaysHowTheQuestionWasReadAndWhereTheTimeWent) {
  ok({"add", "We choose green tea", "--id", "a"});
  const Json explanation = json({"search", "why did we choose tea?", "--explain"}).at("explanation");
  EXPECT_EQ(explanation.at("terms"), Json::parse(R"(["choos", "tea"])"));
  EXPECT_GT(explanation.at("times_ms").at("total").get<double>(), 0);
  EXPECT_FALSE(json({"search", "tea"}).contains("explanation"));
  const Json read = json({"search", "which E0308 was it on 3 May 2022?", "--explain"}).at("explanation");
  EXPECT_EQ(read.at("exact_terms"), Json::parse(R"(["E0308"])"));
  EXPECT_EQ(read.at("dates"), Json::parse(R"([{"first": "2022-05-03", "last": "2022-05-03"}])"));
  const std::string shown = ok({"search", "tea", "--explain"});
  EXPECT_NE(shown.find("looked for"), std::string::npos);
  EXPECT_NE(shown.find("score"), std::string::npos);
}

TEST_F(SearchCommandTest, EqualTextsAreOneHitThatNamesItsCopies) {
  ok({"add", "the very same text", "--id", "one"});
  ok({"add", "the very same text", "--id", "two"});
  const Json hits = json({"search", "same text"}).at("hits");
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits.at(0).at("also_in").size(), 1U);
}

TEST_F(SearchCommandTest, TheScoreIsTheSumOfItsParts) {
  ok({"add", "error E0308 in the parser of the shop", "--id", "a", "--metadata", R"({"content_date": "2022-05-03"})"});
  ok({"add", "the parser and the shop", "--id", "b"});
  ok({"embed", "--embedder", "hash"});
  const Json answer = json({"search", "which parser error was E0308 on 3 May 2022?", "--embedder", "hash"});
  for (const Json& hit : answer.at("hits")) {
    double sum = 0;
    for (const Json& part : hit.at("scores").at("parts")) sum += part.get<double>();
    EXPECT_NEAR(sum, hit.at("score").get<double>(), 1e-9);
  }
  const Json& first = answer.at("hits").at(0);
  EXPECT_EQ(first.at("id"), "a");
  EXPECT_EQ(first.at("matched_via"), Json::parse(R"(["words", "meaning", "date", "exact"])"));
  const std::string shown = ok({"search", "which parser error was E0308 on 3 May 2022?", "--explain"});
  EXPECT_NE(shown.find("date 0.600 + exact 4.000; found by words"), std::string::npos) << shown;
  EXPECT_NE(shown.find("2022-05-03"), std::string::npos) << "the day of the text, not that of filing";
}

TEST_F(SearchCommandTest, APastedTextSaysWhatOfItWasSearchedFor) {
  ok({"add", "some tea for Ana"});
  std::string prompt;
  while (prompt.size() < 2000) prompt += "Follow the rules of the assistant. ";
  EXPECT_NE(ok({"search", prompt + "What tea does Ana drink?"}).find("searched for: What tea does Ana drink?\n"),
            std::string::npos);
  EXPECT_EQ(ok({"search", "What tea does Ana drink?"}).find("searched for"), std::string::npos);
}

TEST_F(SearchCommandTest, TheAnswerSaysWhichPartsWereSearched) {
  ok({"add", "some tea"});
  EXPECT_EQ(json({"search", "tea", "--embedder", "none"}).at("searched"),
            Json::parse(R"({"words": "complete", "meaning": "not searched"})"));
  ok({"embed", "--embedder", "hash"});
  EXPECT_EQ(json({"search", "tea", "--embedder", "hash"}).at("searched").at("meaning"), "complete");
  ok({"add", "more tea", "--no-embed"});
  EXPECT_EQ(json({"search", "tea", "--embedder", "hash"}).at("searched").at("meaning"), "incomplete");
}

TEST_F(SearchCommandTest, NothingIsWrittenByASearch) {
  ok({"add", "some tea", "--wing", "people"});
  ok({"embed", "--embedder", "hash"});
  ok({"search", "tea", "--embedder", "hash"});
  const auto before = listing(palace());
  ok({"search", "tea", "--embedder", "hash", "--wing", "people", "--since", "7d", "--context", "2", "--explain"});
  EXPECT_EQ(listing(palace()), before);
}

TEST_F(SearchCommandTest, TheCommandAndTheLibraryRankAlike) {
  for (int i = 0; i < 40; ++i) {
    std::string text = "note " + std::to_string(i);
    for (const char* word : {"tea", "coffee", "water", "milk", "juice"}) {
      for (int n = 0; n < (i * 7 + word[0]) % 4; ++n) text += " " + std::string(word);
    }
    ok({"add", text, "--id", "n" + std::to_string(i), "--no-embed"});
  }
  ok({"embed", "--embedder", "hash"});
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const auto drawers = *backend->collection(PalaceRef::at(palace()), "drawers", {});
  const std::unique_ptr<Embedder> embedder = *make_embedder("hash");
  for (const char* question : {"tea and milk", "coffee", "juice water note"}) {
    const Result<SearchAnswer> answer = hybrid_search(*drawers, embedder.get(), {.query = question, .limit = 15});
    ASSERT_TRUE(answer.ok());
    std::string ids;
    for (const SearchHit& hit : answer->hits) ids += (ids.empty() ? "" : " ") + hit.record.id;
    EXPECT_EQ(found({question, "--limit", "15", "--embedder", "hash"}), ids) << question;
  }
}

}  // namespace
}  // namespace loci::end_to_end
