// `eval`, as people type it.
#include <sstream>

#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class EvalCommandTest : public EndToEndTest {
 protected:
  std::vector<Json> rows(const std::string& name) {
    std::vector<Json> parsed;
    std::istringstream lines(read(folder() / name));
    for (std::string line; std::getline(lines, line);) parsed.push_back(Json::parse(line));
    return parsed;
  }
};

constexpr std::string_view kLocomo = R"([
 {"sample_id": "conv-a", "conversation": {
   "session_1_date_time": "1:56 pm on 8 May, 2023",
   "session_1": [{"speaker": "Ina", "dia_id": "D1:1", "text": "I bought a cello."}],
   "session_2_date_time": "2:00 pm on 9 June, 2023",
   "session_2": [{"speaker": "Tom", "dia_id": "D2:1", "text": "The train was late."}]},
  "qa": [{"question": "Who bought a cello?", "evidence": ["D1:1"], "category": 4},
         {"question": "What was late, and who bought what?", "evidence": ["D2:1; D1:1 D9:9"], "category": 1},
         {"question": "What is unknown?", "evidence": [], "category": 5}]},
 {"sample_id": "conv-b", "conversation": {
   "session_1": [{"speaker": "Eva", "dia_id": "D1:1", "text": "My cello is green."}]},
  "qa": [{"question": "What is green?", "evidence": ["D1:1"], "category": 4}]}])";

TEST_F(EvalCommandTest, LocomoGivesMetricsAndRowsUnderTheNamesOfTheSet) {
  write(folder() / "talks.json", kLocomo);
  const Json report = json({"eval", "locomo", "--data", "talks.json", "--mode", "words", "--rows", "rows.jsonl"});
  EXPECT_EQ(report.at("questions"), 4);
  EXPECT_EQ(report.at("fractional_recall_at_10"), 1);
  EXPECT_EQ(report.at("without_gold"), 1);
  EXPECT_EQ(report.at("per_category").at("4").at("questions"), 2);
  for (const char* name : {"fractional_recall_at_5", "any_hit_at_5", "any_hit_at_10", "all_hit_at_5", "all_hit_at_10",
                           "recall_at_1", "mrr", "ndcg_at_10"})
    EXPECT_TRUE(report.at(name).is_number() && report.at("intervals").at(name).size() == 2) << name;
  const std::vector<Json> found = rows("rows.jsonl");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].at("conversation"), "conv-a");
  EXPECT_EQ(found[0].at("question"), 0);
  EXPECT_EQ(found[0].at("ranked").at(0), "conv-a:1");
  EXPECT_EQ(found[0].at("scores").size(), found[0].at("ranked").size());
  EXPECT_EQ(found[1].at("gold"), (Json{"conv-a:1", "conv-a:2"}));
  EXPECT_EQ(found[3].at("conversation"), "conv-b");
}

TEST_F(EvalCommandTest, OneStoreHoldsAllConversations) {
  write(folder() / "talks.json", kLocomo);
  const Json report = json({"eval", "locomo", "--data", "talks.json", "--one-store", "--mode", "words", "--rows",
                            "rows.jsonl", "--store", "kept"});
  EXPECT_EQ(report.at("drawers"), 3);
  EXPECT_EQ(rows("rows.jsonl")[0].at("ranked").size(), 2U) << "both that speak of a cello";
  const Json again =
      json({"eval", "locomo", "--data", "talks.json", "--one-store", "--mode", "words", "--store", "kept"});
  EXPECT_EQ(again.at("mrr"), report.at("mrr"));
}

TEST_F(EvalCommandTest, LongMemEvalHidesTheNamesThatTellTheAnswer) {
  write(folder() / "set.json", R"([{"question_id": "q1", "question_type": "single", "question": "Which tea do I like?",
    "answer_session_ids": ["answer_1"], "haystack_session_ids": ["other_1", "answer_1"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 03:00"],
    "haystack_sessions": [[{"role": "user", "content": "It rains."}],
                          [{"role": "user", "content": "I like green tea.", "has_answer": true}]]}])");
  const Json report = json({"eval", "longmemeval", "--data", "set.json", "--mode", "hybrid", "--embedder", "hash",
                            "--rows", "rows.jsonl", "--store", "kept"});
  EXPECT_EQ(report.at("recall_at_1"), 1);
  EXPECT_EQ(rows("rows.jsonl")[0].at("ranked").at(0), "answer_1");
  for (const auto& [name, content] : listing(folder() / "kept"))
    EXPECT_EQ(content.find("answer"), std::string::npos) << name << " tells which session answers";
}

TEST_F(EvalCommandTest, LongMemEvalCountsAnswerableQuestionsApart) {
  constexpr std::string_view kHaystack = R"("haystack_session_ids": ["a", "b"], "haystack_dates": ["", ""],
    "haystack_sessions": [[{"role": "user", "content": "I like green tea."}], [{"role": "user", "content": "Rain."}]])";
  write(folder() / "set.json",
        R"([{"question_id": "q1", "question": "green tea", "answer_session_ids": ["a"], )" + std::string(kHaystack) +
            R"(}, {"question_id": "q2_abs", "question": "green tea", "answer_session_ids": ["b"], )" +
            std::string(kHaystack) + "}]");
  const Json report = json({"eval", "longmemeval", "--data", "set.json", "--mode", "words"});
  EXPECT_EQ(report.at("questions"), 2);
  EXPECT_EQ(report.at("all_hit_at_5"), 0.5);
  EXPECT_EQ(report.at("answerable").at("questions"), 1);
  EXPECT_EQ(report.at("answerable").at("all_hit_at_5"), 1);
  EXPECT_FALSE(report.contains("recall_at_100")) << "ten were asked for";
  EXPECT_NE(
      ok({"eval", "longmemeval", "--data", "set.json", "--mode", "words"}).find("all_hit_at_5 1.0000 of 1 question\n"),
      std::string::npos);
}

TEST_F(EvalCommandTest, AQuestionWithoutAWordCountsAsNotFoundAndIsNamed) {
  write(folder() / "corpus.jsonl", "{\"_id\": 1, \"text\": \"Green tea is steamed.\"}\n");
  write(folder() / "queries.jsonl", "{\"_id\": 7, \"text\": \"steamed tea\"}\n{\"_id\": 8, \"text\": \"??\"}\n");
  write(folder() / "qrels.tsv", "query-id\tcorpus-id\tscore\n7\t1\t1\n8\t1\t1\n");
  const Json report = json({"eval", "beir", "--data", ".", "--mode", "words"});
  EXPECT_EQ(report.at("questions"), 2) << "ids may be numbers";
  EXPECT_EQ(report.at("mrr"), 0.5);
  ASSERT_EQ(report.at("refused").size(), 1U);
  EXPECT_EQ(report.at("refused").at(0).at("question"), "8");
  EXPECT_NE(ok({"eval", "beir", "--data", ".", "--mode", "words"}).find("question 8 counts as not found: "),
            std::string::npos);
}

TEST_F(EvalCommandTest, BeirTakesTheLayoutOfTheName) {
  write(folder() / "corpus.jsonl",
        "{\"_id\": \"d1\", \"title\": \"Tea\", \"text\": \"Green tea is steamed.\"}\n"
        "{\"_id\": \"d2\", \"title\": \"\", \"text\": \"Coffee is roasted.\"}\n");
  write(folder() / "queries.jsonl",
        "{\"_id\": \"q1\", \"text\": \"steamed tea\"}\n{\"_id\": \"q2\", \"text\": \"none\"}\n");
  write(folder() / "qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n");
  const Json report = json({"eval", "beir", "--data", ".", "--embedder", "hash"});
  EXPECT_EQ(report.at("questions"), 1) << "a query without judgements is left out";
  EXPECT_EQ(report.at("ndcg_at_10"), 1);
  EXPECT_EQ(report.at("recall_at_100"), 1);
}

TEST_F(EvalCommandTest, YourOwnQuestionsAreAskedOfYourPalace) {
  const Json added = json({"add", "The key is under the mat"});
  const std::string id = added.at("id");
  write(folder() / "mine.jsonl", "{\"query\": \"where is the key\", \"relevant\": [\"" + id + "\"]}\n");
  EXPECT_EQ(json({"eval", "jsonl", "--data", "mine.jsonl", "--mode", "words"}).at("recall_at_1"), 1);
}

TEST_F(EvalCommandTest, YourOwnQuestionsAreNoMeasureOfWhatSearchCannotDo) {
  ok({"add", "The key is under the mat", "--embedder", "hash-8"});
  ok({"embed", "--embedder", "hash-8"});
  write(folder() / "mine.jsonl", "{\"query\": \"where is the key\", \"relevant\": [\"x\"]}\n");
  const std::vector<std::string> eval = {"eval", "jsonl", "--data", "mine.jsonl", "--embedder"};
  const auto with = [&](const std::string& embedder) {
    std::vector<std::string> arguments = eval;
    arguments.push_back(embedder);
    return arguments;
  };
  expect_failure(with("hash-16"), 2, "the vectors here were made by hash-8");
  EXPECT_EQ(json(with("hash-8")).at("degraded"), Json::array());
  ok({"add", "waits", "--embedder", "hash-8"});
  EXPECT_NE(ok(with("hash-8")).find("1 drawer waits for its vector"), std::string::npos);
}

TEST_F(EvalCommandTest, AnotherSetThanTheNameSaysIsAnError) {
  write(folder() / "talks.json", kLocomo);
  write(folder() / "wrong.json", R"([{"haystack_session_ids": "abc", "haystack_sessions": [], "question": "x"}])");
  write(folder() / "silent.json", R"([{"sample_id": "s", "conversation": {}, "qa": []}])");
  expect_failure({"eval", "longmemeval", "--data", "talks.json", "--mode", "words"}, 2,
                 "talks.json: entry 1 has no list haystack_session_ids");
  expect_failure({"eval", "longmemeval", "--data", "wrong.json", "--mode", "words"}, 2, "no list haystack_session_ids");
  expect_failure({"eval", "locomo", "--data", "silent.json", "--mode", "words"}, 2,
                 "entry 1 has no conversation with a list session_1");
}

TEST_F(EvalCommandTest, AnOptionThatIsForAnotherSetIsRefused) {
  expect_failure({"eval", "jsonl", "--data", "x", "--store", "s"}, 2, "store is for locomo, longmemeval and beir");
  expect_failure({"eval", "locomo", "--data", "x", "--qrels", "q"}, 2, "qrels is for beir");
  expect_failure({"eval", "beir", "--data", "x", "--one-store"}, 2, "one_store is for locomo and longmemeval");
}

TEST_F(EvalCommandTest, WhatIsNoSuchSetIsAnError) {
  write(folder() / "bad.json", "{}");
  expect_failure({"eval", "locomo", "--data", "bad.json", "--mode", "words"}, 2, "no JSON list");
  expect_failure({"eval", "locomo", "--data", "bad.json", "--without", "luck"}, 2, "no stage");
  expect_failure({"eval", "beir", "--data", "nowhere", "--mode", "words"}, 2, "qrels");
}

}  // namespace
}  // namespace loci::end_to_end
