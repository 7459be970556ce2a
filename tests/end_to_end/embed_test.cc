// `embed`, as people type it.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "embed/hash_embedder.h"
#include "store/embedded/embedded_backend.h"
#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class EmbedCommandTest : public EndToEndTest {};

TEST_F(EmbedCommandTest, GivesEveryWaitingDrawerItsVector) {
  for (const char* id : {"a", "b"}) ok({"add", "the text of " + std::string(id), "--id", id, "--embedder", "none"});
  EXPECT_EQ(json({"status"}).at("pending"), 2);
  const Json answer = json({"embed", "--embedder", "hash"});
  EXPECT_EQ(answer.at("embedded"), 2);
  EXPECT_EQ(answer.at("pending"), 0);
  EXPECT_EQ(json({"status"}).at("pending"), 0);
  EXPECT_EQ(json({"embed", "--embedder", "hash"}).at("embedded"), 0);
}

// Computes the same vectors as `--embedder hash`, but not before it may.
class HeldUpEmbedder final : public Embedder {
 public:
  std::string model_name() const override { return hash_.model_name(); }
  std::size_t dimension() const override { return hash_.dimension(); }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    has_begun.set_value();
    may_go_on.wait();
    return hash_.embed(texts);
  }

  mutable std::promise<void> has_begun;
  std::shared_future<void> may_go_on;

 private:
  HashEmbedder hash_;
};

TEST_F(EmbedCommandTest, WaitsForWhatOthersHaveInHand) {
  ok({"add", "green tea", "--embedder", "none"});
  std::promise<void> go_on;
  HeldUpEmbedder embedder;
  embedder.may_go_on = go_on.get_future().share();
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const auto drawers = backend->collection(PalaceRef::at(palace()), "drawers", {.embedder = &embedder});
  ASSERT_TRUE(drawers.ok()) << drawers.error().message;
  auto other = std::async(std::launch::async, [&] { return (*drawers)->embed_pending(64).ok(); });
  embedder.has_begun.get_future().wait();
  auto waits = std::async(std::launch::async, [&] { return json({"embed", "--embedder", "hash"}); });
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(400)), std::future_status::timeout);
  go_on.set_value();
  EXPECT_TRUE(other.get());
  const Json answer = waits.get();
  EXPECT_EQ(answer.at("embedded"), 0);
  EXPECT_EQ(answer.at("pending"), 0);
}

TEST_F(EmbedCommandTest, PrintsTheVectorOfEachLineWithoutAPalace) {
  const Finished run = loci({"embed", "--stdin", "--embedder", "hash-8", "--json"}, {.input = "one line\nanother\n"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::istringstream lines(run.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(Json::parse(line).at("embedding").size(), 8U) << line;
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(listing(home()).empty()) << "nothing is created";
}

TEST_F(EmbedCommandTest, SwitchesThatAskForDifferentWorkAreRefused) {
  expect_failure({"embed", "--stdin", "--model", "hash"}, 2, "embed takes one of --model and --stdin, not both");
  expect_failure({"embed", "--abandon", "--model", "hash"}, 2, "not both");
  expect_failure({"embed", "--worker", "--stdin"}, 2, "not both");
  expect_failure({"model", "list", "foo"}, 2, "model list takes no NAME");
}

TEST_F(EmbedCommandTest, SaysWhatToDoWithoutAnEmbedder) {
  ok({"add", "text", "--embedder", "none"});
  expect_failure({"embed", "--embedder", "none"}, 2, "choose one with --embedder");
  expect_failure({"embed", "--stdin", "--embedder", "none"}, 2, "choose one with --embedder");
}

TEST_F(EmbedCommandTest, ADrawerIsStoredAtOnceAndEmbeddedByAWorker) {
  const RunOptions in_background = {.environment = {{"LOCI_EMBED", "background"}, {"LOCI_EMBEDDER", "hash-8"}}};
  ok({"add", "kept for later", "--no-embed"}, in_background);
  EXPECT_EQ(json({"status"}).at("pending"), 1);
  EXPECT_FALSE(std::filesystem::exists(palace() / "worker.lock")) << "no worker was started";
  ok({"add", "green tea"}, in_background);
  Json status;
  for (int i = 0; i < 3000; ++i) {
    status = json({"status"});
    if (status.at("pending") == 0 && status.at("worker").is_null()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(status.at("pending"), 0) << status;
  EXPECT_EQ(status.at("model"), "hash-8");
  EXPECT_TRUE(status.at("worker").is_null()) << "it has ended";
}

TEST_F(EmbedCommandTest, TextsCanBeEmbeddedBeforeTheCommandEnds) {
  ok({"add", "green tea", "--embedder", "hash-8"}, {.environment = {{"LOCI_EMBED", "now"}}});
  EXPECT_EQ(json({"status"}).at("pending"), 0);
  expect_failure({"status"}, 2, "embed must be background, now or later", {.environment = {{"LOCI_EMBED", "soon"}}});
}

TEST_F(EmbedCommandTest, GoesOverToAnotherModelAndStaysWithIt) {
  ok({"add", "green tea", "--id", "a", "--embedder", "hash-8"});
  ok({"embed", "--embedder", "hash-8"});
  const Json answer = json({"embed", "--model", "hash-16"});
  EXPECT_EQ(answer.at("embedded"), 1);
  EXPECT_EQ(answer.at("finished"), true);
  EXPECT_EQ(answer.at("old_model"), "hash-8");
  EXPECT_EQ(json({"status"}).at("model"), "hash-16");
  EXPECT_EQ(json({"status"}).at("embedder").at("name"), "hash-16") << "new texts get the same model";
  EXPECT_EQ(ok({"embed", "--model", "hash-16"}), "embedded 0 drawers; all vectors are by hash-16\n");
  EXPECT_EQ(ok({"embed", "--abandon"}), "no re-embedding was under way\n");
  expect_failure({"embed", "--model", "none"}, 2, "none makes no vectors");
  expect_failure({"embed", "--model", "no-such"}, 2, "there is no embedder no-such");
}

TEST_F(EmbedCommandTest, WhatWaitsGoesOverToTheOtherModelToo) {
  ok({"add", "green tea", "--embedder", "hash-8"}, {.environment = {{"LOCI_EMBED", "now"}}});
  ok({"add", "black tea", "--embedder", "none"});
  const Json answer = json({"embed", "--model", "hash-16"});
  EXPECT_EQ(answer.at("embedded"), 2);
  EXPECT_EQ(answer.at("pending"), 0);
}

TEST_F(EmbedCommandTest, AModelIsRecordedWithItsFirstVectorOnly) {
  ok({"add", "green tea", "--embedder", "hash-8", "--no-embed"});
  EXPECT_EQ(json({"embed", "--embedder", "hash-16"}).at("embedded"), 1);
}

TEST_F(EmbedCommandTest, AfterAForcedSwapAllVectorsAreMadeAnew) {
  const RunOptions now = {.environment = {{"LOCI_EMBED", "now"}}};
  ok({"add", "green tea", "--embedder", "hash-8"}, now);
  ok({"set-embedder", "--model", "other", "--force-model-swap"});
  ok({"set-embedder", "--model", "hash-8", "--force-model-swap"});
  EXPECT_EQ(json({"embed", "--model", "hash-8"}).at("embedded"), 1);
  EXPECT_EQ(json({"embed", "--model", "hash-8"}).at("embedded"), 0);
}

// Enough for a vector index, which is made again wherever it is due.
TEST_F(EmbedCommandTest, TheIndexFollowsTheVectors) {
  const RunOptions now = {.environment = {{"LOCI_EMBED", "now"}, {"LOCI_EMBEDDER", "hash-8"}}};
  std::string lines;
  for (int i = 0; i < 2100; ++i)
    lines += Json{{"id", "r" + std::to_string(i)}, {"document", "text number " + std::to_string(i)}}.dump() + "\n";
  const Json imported = json({"import", "-"}, {.input = lines, .environment = now.environment});
  EXPECT_EQ(imported.at("embedding").at("embedded"), 2100) << imported;
  const auto index = [&] { return json({"maintenance", "state"}).at("state").at("vector_index"); };
  EXPECT_EQ(index(), "segments");

  EXPECT_EQ(json({"embed", "--model", "hash-16"}).at("embedded"), 2100);
  EXPECT_EQ(index(), "segments") << "it is one of the new vectors";

  std::filesystem::remove_all(palace() / "index");
  EXPECT_EQ(index(), "unusable");
  const std::string doctor = ok({"doctor"});
  EXPECT_NE(doctor.find("searches are exact and slower"), std::string::npos) << doctor;
  const RunOptions background = {.environment = {{"LOCI_EMBED", "background"}}};
  ok({"search", "text number 7"}, background);
  for (int i = 0; i < 3000 && index() != "segments"; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(index(), "segments") << "the search that missed it has a worker make it";
}

TEST_F(EmbedCommandTest, AnIndexThatCannotBeBuiltIsTold) {
  const RunOptions hash = {.environment = {{"LOCI_EMBEDDER", "hash-8"}}};
  std::string lines;
  for (int i = 0; i < 2100; ++i)
    lines += Json{{"id", "r" + std::to_string(i)}, {"document", "text number " + std::to_string(i)}}.dump() + "\n";
  ok({"import", "-"}, {.input = lines});
  std::ofstream(palace() / "index") << "in the way";
  const Finished run = loci({"embed"}, hash);
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_NE(run.out.find("the vector index could not be brought up to date"), std::string::npos) << run.out;
  EXPECT_NE(ok({"doctor"}).find("it is behind"), std::string::npos);
}

TEST_F(EmbedCommandTest, ModelsAreListedChosenAndChecked) {
  EXPECT_NE(ok({"model", "list"}).find("minilm"), std::string::npos);
  ok({"model", "use", "hash"});
  EXPECT_EQ(read(home() / "config.json"), "{\n  \"embedder\": \"hash\"\n}\n");
  EXPECT_EQ(json({"model", "list"}).at("embedder").at("name"), "hash");
  EXPECT_EQ(ok({"model", "check"}), "hash works: 384 dimensions\n");
  expect_failure({"model", "check", "minilm"}, 1, "tools/setup.sh");
  expect_failure({"model", "show", "no-such"}, 3, "there is no model no-such");
  expect_failure({"model", "add", "mine", "--folder", "nowhere"}, 3, "config.json");
  expect_failure({"model", "forget", "mine"}, 2, "list, show, use, check");
}

}  // namespace
}  // namespace loci::end_to_end
