#include "cli/help.h"

#include <gtest/gtest.h>

#include "api/operations.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/environment.h"

namespace loci {
namespace {

constexpr Terminal kFile = {};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(HelpTest, NamesEveryCommandOptionAndExample) {
  const std::string general = general_help(kFile);
  for (const Operation* command : commands()) {
    SCOPED_TRACE(command->name);
    EXPECT_TRUE(has(general, "  " + with_dashes(command->name) + " "));
    const std::string help = command_help(kFile, *command);
    for (const Field& field : command->fields) {
      EXPECT_TRUE(has(help, is_positional(field) ? placeholder(field) : option_name(field))) << field.name;
    }
    for (const Field& field : global_options()) EXPECT_TRUE(has(help, option_name(field))) << field.name;
    for (const Example& example : command->examples) EXPECT_TRUE(has(help, "loci " + std::string(example.arguments)));
  }
}

TEST(HelpTest, LinesFitTheTerminal) {
  const Terminal narrow = {.is_terminal = true, .has_colour = false, .can_redraw = true, .width = 60};
  const std::string help = command_help(narrow, *find_command("import"));
  const std::string options = help.substr(0, help.find("Examples"));
  for (std::size_t begin = 0; begin < options.size();) {
    const std::size_t end = options.find('\n', begin);
    EXPECT_LE(display_width(std::string_view(options).substr(begin, end - begin)), 60U);
    begin = end + 1;
  }
}

TEST(HelpTest, ProgramsGetTheSchemas) {
  const Json help = help_as_json();
  EXPECT_EQ(help.at("operations").size(), operations().size());
  EXPECT_TRUE(help.at("operations").at(0).at("request").contains("properties"));
}

TEST(CompletionTest, EveryShellKnowsEveryCommandAndOption) {
  for (const std::string& script : {bash_completion(), zsh_completion(), fish_completion()}) {
    for (const Operation* command : commands()) {
      EXPECT_TRUE(has(script, with_dashes(command->name))) << command->name;
      for (const Field& field : command->fields) {
        EXPECT_TRUE(is_positional(field) || has(script, with_dashes(field.name))) << field.name;
      }
    }
  }
}

TEST(EnvironmentTest, TheSourcesAreReadFromTheVariables) {
  const Variables variables = [](std::string_view name) -> std::optional<std::string> {
    if (name == "HOME") return "/home/ana";
    if (name == "LOCI_PALACE") return "work";
    if (name == "LOCI_BACKEND") return "b";
    if (name == "LOCI_COLLECTION") return "c";
    if (name == "LOCI_EMBEDDER") return "hash";
    if (name == "LOCI_NAMESPACE") return "n";
    if (name == "LOCI_CONFIG") return "/etc/loci.json";
    return std::nullopt;
  };
  const SettingsSources sources = sources_from(variables);
  EXPECT_EQ(sources.loci_home, "/home/ana/.loci");
  EXPECT_EQ(sources.user_home, "/home/ana");
  EXPECT_EQ(sources.environment.palace, "work");
  EXPECT_EQ(sources.environment.backend, "b");
  EXPECT_EQ(sources.environment.collection, "c");
  EXPECT_EQ(sources.environment.embedder, "hash");
  EXPECT_EQ(sources.environment.palace_namespace, "n");
  EXPECT_EQ(sources.configuration_file, "/etc/loci.json");
}

TEST(EnvironmentTest, LociHomeIsMadeAbsolute) {
  const Variables variables = [](std::string_view name) -> std::optional<std::string> {
    return name == "LOCI_HOME" ? std::optional<std::string>("here") : std::nullopt;
  };
  EXPECT_EQ(sources_from(variables).loci_home, std::filesystem::current_path() / "here");
}

}  // namespace
}  // namespace loci
