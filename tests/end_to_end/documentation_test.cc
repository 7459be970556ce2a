// What the documentation says is what the program does: each command in the README and each example of --help runs.
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "api/operations.h"
#include "store/chroma/made_folder.h"
#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

namespace fs = std::filesystem;

class DocumentationTest : public EndToEndTest {};

TEST_F(DocumentationTest, EveryExampleOfHelpRuns) {
  for (const Operation* operation : operations()) {
    for (const Example& example : operation->examples) {
      const TemporaryFolder place;
      const RunOptions options = {.environment = {{"HOME", place.path().string()}}, .working_folder = place.path()};
      const fs::path example_home = place.path() / "home";
      for (const char* folder : {".mempalace/palace", "old"}) chroma::make_empty_folder(place.path() / folder);
      const Finished prepared = run_shell(
          "loci add 'Error: timeout' --id note-1 --wing shop --room api && loci add second --id note-2 &&"
          "loci init --palace work && echo notes > notes.md && echo error > error.log &&"
          "mkdir beir && echo '{\"_id\": \"d\", \"text\": \"green tea\"}' > beir/corpus.jsonl &&"
          "echo '{\"_id\": \"q\", \"text\": \"tea\"}' > beir/queries.jsonl && printf 'q\\td\\t1\\n' > beir/qrels.tsv &&"
          "echo '{\"query\": \"timeout\", \"relevant\": [\"note-1\"]}' > questions.jsonl &&"
          "echo '{\"collection\": \"mempalace_drawers\", \"id\": \"d\", \"document\": \"kept\", \"embedding\": [1, "
          "0]}' > d.jsonl &&"
          "loci import d.jsonl --palace ~/.mempalace/palace --backend chroma && loci import d.jsonl --palace ./old &&"
          "cp -r home/palaces/default old-palace &&"
          "loci export --output palace.jsonl && loci backup yesterday.loci &&"
          "for i in $(seq 20); do printf '\\0\\0\\200\\077\\0\\0\\0\\100'; done | tee base.f32 > queries.f32",
          options, example_home);
      ASSERT_EQ(prepared.exit_code, 0) << prepared.err;
      const Finished run = run_shell("loci " + std::string(example.arguments), options, example_home);
      EXPECT_EQ(run.exit_code, 0) << "loci " << example.arguments << "\n" << run.err;
    }
  }
}

struct Step {
  std::string command;
  std::string output;
};

// The commands of the ```console blocks, with the output that is shown below each.
std::vector<Step> steps_of(const std::string& markdown) {
  std::vector<Step> steps;
  std::istringstream lines(markdown);
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_block = line == "```console";
    } else if (in_block && line.starts_with("$ ")) {
      steps.push_back({line.substr(2), ""});
    } else if (in_block && line.starts_with("> ") && !steps.empty() && steps.back().output.empty()) {
      steps.back().command += "\n" + line.substr(2);
    } else if (in_block && !steps.empty()) {
      steps.back().output += line + "\n";
    }
  }
  return steps;
}

// What differs between runs.
std::string evened(std::string text, const fs::path& user_home) {
  const std::string home = user_home.string();
  for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home)) {
    text.replace(at, home.size(), "/home/you");
  }
  text = std::regex_replace(text, std::regex("drawer_[0-9a-f]{24}"), "drawer_ID");
  text = std::regex_replace(text, std::regex(R"(\d{4}-\d\d-\d\d(T[0-9:.]+Z)?)"), "DATE");
  return std::regex_replace(text, std::regex(R"(\d+(\.\d)? (bytes|kB|MB))"), "SIZE");
}

TEST_F(DocumentationTest, TheReadmeShowsWhatHappens) {
  const std::vector<Step> steps = steps_of(read(fs::path(LOCI_SOURCE_FOLDER) / "README.md"));
  ASSERT_GT(steps.size(), 5U);
  // As for people once the background work is done, which here is done at once.
  const fs::path models = fs::path(LOCI_SOURCE_FOLDER) / ".deps" / "models";
  if (!fs::exists(models / "all-MiniLM-L6-v2" / "config.json")) GTEST_SKIP() << "needs the model all-MiniLM-L6-v2";
  const std::map<std::string, std::string> environment = {
      {"LOCI_HOME", ""}, {"LOCI_MODELS", models.string()}, {"LOCI_EMBED", "now"}};
  for (const Step& step : steps) {
    // Those belong to the checkout, and have tests of their own.
    if (step.command.starts_with("git clone") || step.command.starts_with("cd ") || step.command.starts_with("./test"))
      continue;
    // ./loci builds and starts the program that is under test here.
    const std::string command = std::regex_replace(step.command, std::regex(R"(\./loci\b)"), "loci");
    const Finished run = run_shell(command, {.environment = environment, .working_folder = folder()}, home());
    EXPECT_EQ(evened(run.out + run.err, folder()), evened(step.output, folder())) << "$ " << step.command;
  }
}

TEST_F(DocumentationTest, TheReadmeNamesEveryCommand) {
  const std::string readme = read(fs::path(LOCI_SOURCE_FOLDER) / "README.md");
  for (const Operation* operation : operations()) {
    std::string name(operation->name);
    std::replace(name.begin(), name.end(), '_', '-');
    EXPECT_NE(readme.find("| `" + name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace loci::end_to_end
