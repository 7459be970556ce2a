#include "cli/arguments.h"

#include <vector>

#include <gtest/gtest.h>

#include "cli/commands.h"

namespace loci {
namespace {

using Words = std::vector<std::string>;

CommandLine parse(const Words& words) {
  Result<CommandLine> line = parse_arguments(words);
  EXPECT_TRUE(line.ok()) << line.error().message;
  return line.ok() ? std::move(*line) : CommandLine{};
}

std::string error_of(const Words& words) {
  const Result<CommandLine> line = parse_arguments(words);
  EXPECT_FALSE(line.ok());
  if (line.ok()) return "";
  EXPECT_EQ(line.error().kind, ErrorKind::invalid_argument);
  return line.error().message;
}

std::string fields(const Words& words) { return to_text(parse(words).fields, JsonLayout::one_line); }

TEST(ArgumentsTest, OptionsAndPositionalsGoToTheirFields) {
  EXPECT_EQ(fields({"add", "some text", "--wing", "shop", "--room=api", "--metadata", R"({"n": 1})"}),
            R"({"document":"some text","wing":"shop","room":"api","metadata":{"n":1}})");
  EXPECT_EQ(fields({"get", "a", "b", "c"}), R"({"ids":["a","b","c"]})");
  EXPECT_EQ(fields({"delete", "a", "--dry-run"}), R"({"ids":["a"],"dry_run":true})");
  EXPECT_EQ(fields({"delete", "a", "--dry-run=false"}), R"({"ids":["a"],"dry_run":false})");
  EXPECT_EQ(fields({"list", "--limit", "5", "--offset=10"}), R"({"limit":5,"offset":10})");
}

TEST(ArgumentsTest, TextsArriveAsTheyWereTyped) {
  for (const char* text :
       {"[a,b]", "[]", "{}", "", " ", "'x'", "\"x\"", "%%", "a=b", "- a list", "--no-verify is bad", "日本"}) {
    EXPECT_EQ(parse({"search", text}).fields.at("query"), text);
    EXPECT_EQ(parse({"get", text}).fields.at("ids").at(0), text);
    EXPECT_EQ(parse({"update", "id", "--document", text}).fields.at("document"), text);
    EXPECT_EQ(parse({"update", "id", std::string("--document=") + text}).fields.at("document"), text);
  }
  EXPECT_EQ(parse({"search", "--", "--wing"}).fields.at("query"), "--wing");
  EXPECT_EQ(parse({"search", "--wing", "w", "--", "-x"}).fields.at("query"), "-x");
  EXPECT_EQ(parse({"list", "--offset", "0", "--wing", "-w"}).fields.at("wing"), "-w");
  EXPECT_EQ(parse({"update", "id", "--wing=", "--room=--json"}).fields.at("room"), "--json");
}

TEST(ArgumentsTest, GlobalOptionsStandBeforeAndAfterTheCommand) {
  for (const Words& words : {Words{"--palace", "p", "--json", "status"}, Words{"status", "--json", "--palace=p"},
                             Words{"--json", "status", "--palace", "p"}}) {
    const CommandLine line = parse(words);
    EXPECT_EQ(line.command, find_command("status"));
    EXPECT_EQ(line.globals.settings.palace, "p");
    EXPECT_TRUE(line.globals.json);
    EXPECT_EQ(line.fields.size(), 0U);
  }
  const CommandLine line = parse({"list", "--backend=b", "--collection=c", "--namespace=n", "--embedder=e",
                                  "--config=f", "--read-only", "--force-model-swap"});
  EXPECT_EQ(line.globals.settings.backend, "b");
  EXPECT_EQ(line.globals.settings.collection, "c");
  EXPECT_EQ(line.globals.settings.palace_namespace, "n");
  EXPECT_EQ(line.globals.settings.embedder, "e");
  EXPECT_EQ(line.globals.configuration_file, "f");
  EXPECT_TRUE(line.globals.read_only);
  EXPECT_TRUE(line.globals.force_model_swap);
}

TEST(ArgumentsTest, AGlobalOptionThatIsAlsoAFieldGoesToBoth) {
  const CommandLine line = parse({"export", "--collection", "c"});
  EXPECT_EQ(line.globals.settings.collection, "c");
  EXPECT_EQ(line.fields.at("collection"), "c");
  EXPECT_TRUE(parse({"set-embedder", "--model", "m", "--force-model-swap"}).fields.at("force_model_swap").get<bool>());
}

TEST(ArgumentsTest, ATextMayComeFromAFileOrTheStandardInput) {
  EXPECT_EQ(parse({"add", "-"}).text_from->path, "-");
  EXPECT_EQ(parse({"add", "--file", "notes.md"}).text_from->path, "notes.md");
  EXPECT_EQ(parse({"update", "id", "--document", "-"}).text_from->field, "document");
  EXPECT_EQ(parse({"update", "id", "--file=f"}).text_from->field, "document");
  EXPECT_EQ(parse({"add", "--", "-"}).text_from->path, "-");
  EXPECT_NE(error_of({"add", "text", "--file", "f"}).find("given twice"), std::string::npos);
  EXPECT_NE(error_of({"list", "--file", "f"}).find("no option --file"), std::string::npos);
}

TEST(ArgumentsTest, NoCommandIsFine) {
  EXPECT_EQ(parse({}).command, nullptr);
  EXPECT_TRUE(parse({"--version"}).globals.version);
  EXPECT_TRUE(parse({"-h"}).globals.help);
  EXPECT_TRUE(parse({"add", "--help"}).globals.help);
}

TEST(ArgumentsTest, MistakesAreNamedWithAWayOut) {
  const std::pair<Words, std::string> mistakes[] = {
      {{"serach", "x"}, "there is no command serach; did you mean search?"},
      {{"banana"}, "there is no command banana; loci help lists the commands"},
      {{"add"}, "add needs TEXT: the text, stored word for word; see loci add --help"},
      {{"set-embedder"}, "set-embedder needs --model NAME"},
      {{"add", "x", "y"}, "add takes no further argument, but there is \"y\""},
      {{"status", "x"}, "status takes no further argument"},
      {{"add", "x", "--wnig", "w"}, "add has no option --wnig; did you mean --wing?"},
      {{"--wing", "w", "add"}, "there is no option --wing before the command"},
      {{"add", "x", "-w"}, "there is no option -w; put -- before a text that begins with a dash"},
      {{"list", "--wing"}, "--wing needs a value"},
      {{"list", "--wing", "--json"}, "--wing needs a value, but --json follows; write --wing=VALUE if that is it"},
      {{"list", "--wing", "a", "--wing", "b"}, "--wing is given twice"},
      {{"list", "--palace", "a", "--palace", "b"}, "--palace is given twice"},
      {{"list", "--limit", "ten"}, "--limit must be a whole number, not ten"},
      {{"list", "--limit", "99999999999999999999"}, "--limit must be a whole number"},
      {{"list", "--json=maybe"}, "--json is a switch; it takes no value"},
      {{"list", "--where", "{"}, "--where is not usable JSON: line 1, column 2"},
      {{"list", "--palace", ""}, "--palace is empty"},
      {{"add", "\xff"}, "TEXT is not valid UTF-8"},
      {{"list", "--wing", "\xff"}, "--wing is not valid UTF-8"},
  };
  for (const auto& [words, message] : mistakes) {
    EXPECT_TRUE(error_of(words).starts_with(message)) << error_of(words);
  }
}

TEST(ArgumentsTest, JsonIsKnownToBeWantedWhateverElseIsWrong) {
  EXPECT_TRUE(asks_for_json(Words{"serach", "x", "--json"}));
  EXPECT_FALSE(asks_for_json(Words{"search", "--", "--json"}));
  EXPECT_FALSE(asks_for_json(Words{"search", "x"}));
}

TEST(ArgumentsTest, NoEmbedLeavesTextsForLater) {
  EXPECT_EQ(parse({"add", "x", "--no-embed"}).globals.settings.embed, "later");
  EXPECT_EQ(parse({"add", "x"}).globals.settings.embed, std::nullopt);
  EXPECT_EQ(parse({"add", "x", "--embedder-url", "http://h"}).globals.settings.embedder_url, "http://h");
}

}  // namespace
}  // namespace loci
