// The world around the program: settings, terminals, pipes, signals, other processes.
#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

namespace fs = std::filesystem;

class EnvironmentTest : public EndToEndTest {};

TEST_F(EnvironmentTest, TheCollectionComesFromFlagPalaceEnvironmentUserOrDefault) {
  ok({"init"});
  const auto collection = [&](const std::vector<std::string>& flags, const RunOptions& options) {
    std::vector<std::string> arguments = {"status"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Json setting = json(arguments, options).at("collection");
    return setting.at("name").get<std::string>() + ", " + setting.at("reason").get<std::string>();
  };
  const RunOptions with_variable = {.environment = {{"LOCI_COLLECTION", "environment"}}};
  EXPECT_EQ(collection({}, {}), "drawers, the default");
  write(home() / "config.json", R"({"collection": "user"})");
  EXPECT_EQ(collection({}, {}), "user, set in the user's configuration");
  EXPECT_EQ(collection({}, with_variable), "environment, set in the environment");
  write(palace() / "palace.json", R"({"collection": "palace"})");
  EXPECT_EQ(collection({}, with_variable), "palace, set in palace.json");
  ok({"add", "a text", "--collection", "flag"});
  EXPECT_EQ(collection({"--collection", "flag"}, with_variable), "flag, given as a flag");
  write(folder() / "other.json", R"({"embedder": "hash"})");
  EXPECT_EQ(json({"status", "--config", "other.json"}).at("embedder").at("name"), "hash");
  EXPECT_EQ(json({"status"}, {.environment = {{"LOCI_CONFIG", "other.json"}}}).at("embedder").at("name"), "hash");
}

TEST_F(EnvironmentTest, ThePalaceIsAPathOrAName) {
  const auto place = [&](const std::vector<std::string>& flags, const RunOptions& options) {
    std::vector<std::string> arguments = {"init"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return json(arguments, options).at("palace").get<std::string>();
  };
  EXPECT_EQ(place({"--palace", "work"}, {}), (home() / "palaces" / "work").string());
  EXPECT_EQ(place({"--palace", "./work"}, {}), (folder() / "work").string());
  EXPECT_EQ(place({"--palace", "~/tilde"}, {}), (folder() / "tilde").string());
  EXPECT_EQ(place({}, {.environment = {{"LOCI_PALACE", "env"}}}), (home() / "palaces" / "env").string());
  EXPECT_EQ(place({}, {.environment = {{"LOCI_HOME", ""}}}), (folder() / ".loci" / "palaces" / "default").string());
  EXPECT_EQ(place({}, {.environment = {{"LOCI_HOME", "relative"}}}),
            (folder() / "relative" / "palaces" / "default").string());
}

TEST_F(EnvironmentTest, OptionsStandBeforeAndAfterTheCommand) {
  ok({"--palace", "work", "add", "tea", "--id", "a"});
  EXPECT_EQ(ok({"--palace=work", "--json", "list"}), ok({"list", "--json", "--palace", "work"}));
}

TEST_F(EnvironmentTest, OnATerminalMatchesAreMarkedAndStoredTextIsHarmless) {
  ok({"add", "-", "--id", "a", "--wing", "w"}, {.input = "green tea \x1b]0;title\x07 and \x1b[2J"});
  const std::string found = loci({"search", "tea"}, {.on_terminal = true}).out;
  EXPECT_NE(found.find("green \x1b[1;4mtea\x1b[0m"), std::string::npos) << found;
  const std::string plain = loci({"search", "tea"}, {.environment = {{"NO_COLOR", "1"}}, .on_terminal = true}).out;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos) << plain;
  const std::string dumb = loci({"get", "a"}, {.environment = {{"TERM", "dumb"}}, .on_terminal = true}).out;
  EXPECT_EQ(dumb.find('\x1b'), std::string::npos) << dumb;
  EXPECT_NE(dumb.find("\\x1b]0;title\\x07"), std::string::npos) << dumb;
  EXPECT_NE(ok({"get", "a"}).find("\x1b]0;title\x07"), std::string::npos) << "a pipe gets the text as it is";
}

TEST_F(EnvironmentTest, ErrorsAreHarmlessToo) {
  const Finished run = loci({"\x1b[2J"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

TEST_F(EnvironmentTest, AReaderThatHasSeenEnoughIsNoError) {
  const std::string text(10'000, 'x');
  for (int i = 0; i < 20; ++i) ok({"add", "-"}, {.input = text});
  const Finished run =
      run_shell("loci list --json | head -c 10; echo \" ${PIPESTATUS[0]}\"", {.working_folder = folder()}, home());
  EXPECT_EQ(run.out, "{\n  \"drawe 141\n");
  EXPECT_EQ(run.err, "");
}

TEST_F(EnvironmentTest, AnOutputThatCannotBeWrittenIsAnError) {
  ok({"add", "x"});
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"list"}, {"list", "--json"}, {"export"}, {"--version"}}) {
    const Finished run = loci(arguments, {.output_file = "/dev/full"});
    EXPECT_EQ(run.exit_code, 1) << arguments[0];
  }
}

TEST_F(EnvironmentTest, AClosedStreamDoesNotBecomeAFileOfThePalace) {
  const Finished run = run_shell(
      "loci add first --id a >&-; echo $?; loci add - <&-; echo $?; loci export --output out >&- 2>&-; echo $?; loci "
      "get a --json",
      {.working_folder = folder()}, home());
  EXPECT_TRUE(run.out.starts_with("1\n1\n1\n{")) << run.out;
  EXPECT_NE(run.out.find("\"document\": \"first\""), std::string::npos) << run.out;
  EXPECT_TRUE(read(folder() / "out").starts_with("{\"collection\""));
  EXPECT_TRUE(read(folder() / "out").ends_with("}\n"));
}

TEST_F(EnvironmentTest, AnInterruptWhileWaitingForInputLeavesNothing) {
  const Finished run =
      run_shell("sleep 2 | timeout --foreground --preserve-status -s INT 0.5 loci add -; echo ${PIPESTATUS[1]}",
                {.working_folder = folder()}, home());
  EXPECT_EQ(run.out, "130\n") << run.err;
  EXPECT_FALSE(fs::exists(home()));
}

TEST_F(EnvironmentTest, AnInterruptedCallForJsonIsAnsweredAllTheSame) {
  const Finished run = run_shell(
      "sleep 2 | timeout --foreground --preserve-status -s INT 0.5 loci add - --json; echo ${PIPESTATUS[1]} >&2",
      {.working_folder = folder()}, home());
  EXPECT_EQ(run.err, "130\n");
  EXPECT_EQ(Json::parse(run.out).at("error").at("message"), "interrupted");
}

TEST_F(EnvironmentTest, AnInterruptedImportSaysWhatIsStored) {
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "{\"id\":\"" + std::to_string(i) + "\",\"document\":\"text\"}\n";
  write(folder() / "in.jsonl", lines);
  int told = 0;
  for (const std::string delay : {"0.2", "0.4", "0.8", "1.6"}) {
    const std::string command =
        "timeout --foreground --preserve-status -s INT " + delay + " loci import in.jsonl --json --palace ./p" + delay;
    const Finished run = run_shell(command, {.working_folder = folder()}, home());
    if (run.exit_code == 0) continue;
    ASSERT_EQ(run.exit_code, 130) << run.out << run.err;
    const std::string message = Json::parse(run.out).at("error").at("message");
    if (message == "interrupted") continue;  // before the first line was read
    ++told;
    EXPECT_NE(message.find("the import stopped before line "), std::string::npos) << message;
    const std::string stored = json({"status", "--palace", "./p" + delay}).at("drawers").dump();
    EXPECT_NE(message.find(stored + " records are stored"), std::string::npos) << message;
  }
  EXPECT_GT(told, 0) << "no import was interrupted, so nothing was tested";
}

TEST_F(EnvironmentTest, AnInterruptedExportLeavesNoUnfinishedFile) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) {
    lines += "{\"id\":\"" + std::to_string(i) + "\",\"document\":\"text number " + std::to_string(i) + "\"}\n";
  }
  ok({"import", "-"}, {.input = lines});
  fs::create_directories(folder() / "out");
  int interrupted = 0;
  for (int i = 1; i <= 30; ++i) {
    const std::string delay = "0." + std::string(i < 10 ? "00" : "0") + std::to_string(i);
    const Finished run =
        run_shell("timeout --foreground --preserve-status -s INT " + delay + " loci export --output out/f",
                  {.working_folder = folder()}, home());
    if (run.exit_code == 130) {
      ++interrupted;
      EXPECT_TRUE(listing(folder() / "out").empty());
    } else {
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(std::ranges::count(read(folder() / "out" / "f"), '\n'), 20'000);
      fs::remove(folder() / "out" / "f");
    }
  }
  EXPECT_GT(interrupted, 0) << "no export was interrupted, so nothing was tested";
}

TEST_F(EnvironmentTest, InterruptedUpkeepLeavesNothing) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i)
    lines += "{\"id\":\"" + std::to_string(i) + "\",\"document\":\"text number " + std::to_string(i) + "\"}\n";
  ok({"import", "-"}, {.input = lines});
  ok({"backup", "whole.loci"});
  fs::create_directories(folder() / "out");
  for (const std::string work : {"backup out/f", "restore whole.loci --palace ./out/f", "repair --output out/f"}) {
    int interrupted = 0;
    for (const std::string delay : {"0.02", "0.05", "0.1", "0.2", "0.4", "0.8"}) {
      const Finished run = run_shell("timeout --foreground --preserve-status -s INT " + delay + " loci " + work,
                                     {.working_folder = folder()}, home());
      if (run.exit_code == 0) {
        fs::remove_all(folder() / "out" / "f");
        continue;
      }
      EXPECT_EQ(run.exit_code, 130) << work << ": " << run.err;
      EXPECT_EQ(listing(folder() / "out"), (std::map<std::string, std::string>())) << work << " after " << delay;
      interrupted += run.err == "loci: the work was interrupted\n" ? 1 : 0;
    }
    EXPECT_GT(interrupted, 0) << work << " was never interrupted at its work, so nothing was tested";
  }
}

TEST_F(EnvironmentTest, ManyProcessesMayAddAtOnce) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 5; ++i) ok({"add", "text", "--id", std::to_string(writer) + "-" + std::to_string(i)});
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(json({"status"}).at("drawers"), 40);
}

}  // namespace
}  // namespace loci::end_to_end
