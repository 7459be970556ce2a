// `embed`, as people type it.
#include <sstream>

#include <gtest/gtest.h>

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

TEST_F(EmbedCommandTest, SaysWhatToDoWithoutAnEmbedder) {
  ok({"add", "text", "--embedder", "none"});
  expect_failure({"embed", "--embedder", "none"}, 2, "choose one with --embedder");
  expect_failure({"embed", "--stdin", "--embedder", "none"}, 2, "choose one with --embedder");
}

}  // namespace
}  // namespace loci::end_to_end
