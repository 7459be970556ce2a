#include "api/settings.h"

#include <fstream>

#include <gtest/gtest.h>

#include "api/configuration_file.h"
#include "api/fake_backend.h"
#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    register_fake(registry_, "loci");
    register_fake(registry_, "other");
    register_fake(registry_, "third");
    sources_.loci_home = folder_.path() / "home";
    sources_.user_home = folder_.path();
  }

  static void write(const fs::path& path, std::string_view content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }

  Settings resolve() {
    Result<Settings> settings = resolve_settings(sources_, registry_);
    EXPECT_TRUE(settings.ok()) << settings.error().message;
    return settings.value();
  }

  std::string error() {
    const Result<Settings> settings = resolve_settings(sources_, registry_);
    EXPECT_FALSE(settings.ok());
    return settings.ok() ? "" : settings.error().message;
  }

  fs::path default_palace() const { return sources_.loci_home / "palaces" / "default"; }
  fs::path user_file() const { return sources_.loci_home / "config.json"; }

  TemporaryFolder folder_;
  BackendRegistry registry_;
  SettingsSources sources_;
};

TEST_F(SettingsTest, DefaultsNeedNoFilesAndCreateNone) {
  const Settings settings = resolve();
  EXPECT_EQ(settings.palace, default_palace());
  EXPECT_EQ(settings.backend.value, "loci");
  EXPECT_EQ(settings.backend.origin, SettingOrigin::default_value);
  EXPECT_EQ(settings.collection.value, "drawers");
  EXPECT_EQ(settings.embedder.value, "none");
  EXPECT_EQ(settings.palace_namespace, std::nullopt);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(SettingsTest, EachLayerGivesWayToTheOneAboveIt) {
  const auto expect = [&](std::string_view value, SettingOrigin origin) {
    const Settings settings = resolve();
    EXPECT_EQ(settings.backend.value, value);
    EXPECT_EQ(settings.backend.origin, origin);
  };
  write(default_palace() / "third.fake", "");
  expect("third", SettingOrigin::found_on_disk);
  write(user_file(), R"({"backend": "other"})");
  expect("other", SettingOrigin::user);
  sources_.environment.backend = "third";
  expect("third", SettingOrigin::environment);
  write(default_palace() / "palace.json", R"({"backend": "other"})");
  expect("other", SettingOrigin::palace);
  sources_.flags.backend = "loci";
  expect("loci", SettingOrigin::flag);
}

TEST_F(SettingsTest, CollectionEmbedderAndNamespaceHaveTheSameLayers) {
  write(user_file(), R"({"collection": "from user", "embedder": "hash", "namespace": "ns"})");
  EXPECT_EQ(resolve().collection.value, "from user");
  EXPECT_EQ(resolve().embedder.value, "hash");
  EXPECT_EQ(resolve().palace_namespace, "ns");
  sources_.environment.collection = "from environment";
  EXPECT_EQ(resolve().collection.origin, SettingOrigin::environment);
  write(default_palace() / "palace.json", R"({"collection": "from palace"})");
  EXPECT_EQ(resolve().collection.value, "from palace");
  sources_.flags.collection = "from flag";
  EXPECT_EQ(resolve().collection.value, "from flag");
}

TEST_F(SettingsTest, ThePalaceComesFromFlagEnvironmentUserOrDefault) {
  write(user_file(), R"({"palace": "~/users"})");
  EXPECT_EQ(resolve().palace, folder_.path() / "users");
  EXPECT_EQ(resolve().palace_origin, SettingOrigin::user);
  sources_.environment.palace = "work";
  EXPECT_EQ(resolve().palace, sources_.loci_home / "palaces" / "work");
  sources_.flags.palace = (folder_.path() / "a" / ".." / "b").string() + "/";
  EXPECT_EQ(resolve().palace, folder_.path() / "b");
  sources_.flags.palace = "./here";
  EXPECT_EQ(resolve().palace, fs::current_path() / "here");
  sources_.flags.palace = ".";
  EXPECT_EQ(resolve().palace, fs::current_path());
}

TEST_F(SettingsTest, WithoutAHomeThereMustBeAPath) {
  sources_.loci_home.clear();
  sources_.user_home.clear();
  EXPECT_NE(error().find("LOCI_HOME"), std::string::npos);
  sources_.flags.palace = "~/x";
  EXPECT_NE(error().find("home folder"), std::string::npos);
  sources_.flags.palace = folder_.path().string();
  EXPECT_EQ(resolve().palace, folder_.path());
}

TEST_F(SettingsTest, AFileThatDoesNotParseIsNamedWithItsLineAndLeftAlone) {
  const std::string broken = "{\n  \"backend\": \"loci\",\n  \"collection\": \n}\n";
  write(user_file(), broken);
  EXPECT_NE(error().find(user_file().string()), std::string::npos);
  EXPECT_NE(error().find("line 4, column 1"), std::string::npos) << error();
  EXPECT_EQ(read_file(user_file()).value(), broken);

  write(user_file(), "{}");
  write(default_palace() / "palace.json", broken);
  EXPECT_NE(error().find("palace.json"), std::string::npos);
  EXPECT_FALSE(write_palace_configuration(default_palace(), {.collection = "x"}).ok());
  EXPECT_EQ(read_file(default_palace() / "palace.json").value(), broken);
}

TEST_F(SettingsTest, UnknownKeysAndWrongTypesAreErrors) {
  write(user_file(), R"({"colection": "x"})");
  EXPECT_NE(error().find("no setting \"colection\"; did you mean collection?"), std::string::npos) << error();
  write(user_file(), R"({"collection": 3})");
  EXPECT_NE(error().find("collection must be a text that is not empty, not 3"), std::string::npos) << error();
  write(user_file(), R"({"collection": ""})");
  EXPECT_NE(error().find("collection must be a text"), std::string::npos);
  write(user_file(), R"([])");
  EXPECT_NE(error().find("must be a JSON object"), std::string::npos);
  write(user_file(), "{}");
  write(default_palace() / "palace.json", R"({"palace": "x"})");
  EXPECT_NE(error().find("no setting \"palace\""), std::string::npos);
}

TEST_F(SettingsTest, ANamedConfigurationFileMustBeThere) {
  sources_.configuration_file = folder_.path() / "my.json";
  EXPECT_NE(error().find("my.json"), std::string::npos);
  write(*sources_.configuration_file, R"({"collection": "mine"})");
  write(user_file(), R"({"collection": "users"})");
  EXPECT_EQ(resolve().collection.value, "mine");
}

TEST_F(SettingsTest, APalaceThatIsNoFolderIsAnError) {
  write(folder_.path() / "file", "x");
  for (const fs::path& path : {folder_.path() / "file", folder_.path() / "file" / "below"}) {
    sources_.flags.palace = path.string();
    EXPECT_NE(error().find("is not a folder"), std::string::npos) << error();
  }
  fs::create_symlink("loop", folder_.path() / "loop");
  sources_.flags.palace = (folder_.path() / "loop").string();
  EXPECT_NE(error().find("circle"), std::string::npos) << error();
}

TEST_F(SettingsTest, ReadingForDoctorReportsEachFile) {
  write(user_file(), "{");
  write(default_palace() / "palace.json", "{}");
  const std::vector<ConfigurationSource> found = read_configuration(sources_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_present);
  EXPECT_FALSE(found[0].status.ok());
  EXPECT_TRUE(found[1].is_present);
  EXPECT_TRUE(found[1].status.ok());
}

TEST_F(SettingsTest, WritingThePalacesConfigurationKeepsWhatIsThere) {
  write(default_palace() / "palace.json", R"({"embedder": "hash"})");
  ASSERT_TRUE(write_palace_configuration(default_palace(), {.palace = "not this", .collection = "notes"}).ok());
  EXPECT_EQ(read_file(default_palace() / "palace.json").value(),
            "{\n  \"embedder\": \"hash\",\n  \"collection\": \"notes\"\n}\n");
}

TEST_F(SettingsTest, OnlyTheUserSaysToWhichServerTextsGo) {
  write(user_file(), R"({"embedder_url": "http://127.0.0.1:1"})");
  EXPECT_EQ(resolve().embedder_url, "http://127.0.0.1:1");
  write(default_palace() / "palace.json", R"({"embedder_url": "http://elsewhere"})");
  EXPECT_NE(error().find("embedder_url"), std::string::npos);
}

TEST_F(SettingsTest, TextsAreEmbeddedInTheBackgroundUnlessASettingSaysOtherwise) {
  EXPECT_EQ(resolve().embed, EmbedWhen::background);
  write(default_palace() / "palace.json", R"({"embed": "now"})");
  EXPECT_EQ(resolve().embed, EmbedWhen::now);
  sources_.flags.embed = "later";
  EXPECT_EQ(resolve().embed, EmbedWhen::later);
  sources_.flags.embed = "soon";
  EXPECT_NE(error().find("background, now or later, not soon (given as a flag)"), std::string::npos) << error();
}

TEST_F(SettingsTest, TheDefaultModelIsUsedWhereItsFilesAre) {
  sources_.models_folder = folder_.path() / "models";
  EXPECT_EQ(resolve().embedder.value, "none");
  for (const char* file : {"config.json", "tokenizer.json", "model.fp16.safetensors"})
    write(sources_.models_folder / "all-MiniLM-L6-v2" / file, "");
  EXPECT_EQ(resolve().embedder.value, "minilm");
  EXPECT_EQ(resolve().embedder.origin, SettingOrigin::default_value);
}

}  // namespace
}  // namespace loci
