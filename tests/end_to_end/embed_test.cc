// `embed`, as people type it.
#include <chrono>
#include <filesystem>
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
