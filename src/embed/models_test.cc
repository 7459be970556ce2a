#include "embed/models.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

class ModelsTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }

  void write(const fs::path& file, const std::string& content) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  fs::path make_model(const std::string& name, const std::string& configuration = R"({"hidden_size": 8})") const {
    write(folder(name) / "config.json", configuration);
    write(folder(name) / "tokenizer.json", "{}");
    write(folder(name) / "model.safetensors", "weights");
    return folder(name);
  }

  TemporaryFolder root_;
};

TEST_F(ModelsTest, TheBuiltInModelIsListedWhetherItsFilesAreThereOrNot) {
  const ModelPlaces places = {.built_in = root_.path()};
  const ModelFolder absent = find_model(places, "minilm").value();
  EXPECT_EQ(absent.identity, "all-MiniLM-L6-v2");
  EXPECT_EQ(absent.dimension, 384U);
  EXPECT_FALSE(absent.is_present);
  for (const char* file : {"config.json", "tokenizer.json", "model.fp16.safetensors"})
    write(folder("all-MiniLM-L6-v2") / file, "");
  EXPECT_TRUE(find_model(places, "minilm")->is_present);
}

TEST_F(ModelsTest, ARegisteredFolderHasTheDimensionOfItsConfiguration) {
  const ModelPlaces places = {.built_in = root_.path(), .registered = {{"mine", make_model("m")}}};
  const ModelFolder model = find_model(places, "mine").value();
  EXPECT_EQ(model.identity, "mine");
  EXPECT_EQ(model.dimension, 8U);
  EXPECT_TRUE(model.is_present);
  EXPECT_EQ(list_models(places).size(), 2U);
}

TEST_F(ModelsTest, ARegisteredFolderThatIsGoneIsListedAndSaysWhy) {
  const ModelPlaces places = {.built_in = root_.path(), .registered = {{"gone", folder("gone")}}};
  const ModelFolder model = find_model(places, "gone").value();
  EXPECT_FALSE(model.is_present);
  EXPECT_NE(missing_model(model).message.find("has no config.json"), std::string::npos);
}

TEST_F(ModelsTest, WhatIsNoModelFolderIsAnErrorThatSaysWhy) {
  EXPECT_EQ(describe_folder("../x", make_model("m")).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(describe_folder("", make_model("m")).error().kind, ErrorKind::invalid_argument);
  for (const char* file : {"config.json", "tokenizer.json", "model.safetensors"}) {
    fs::remove(make_model("m") / file);
    EXPECT_EQ(describe_folder("m", folder("m")).error().kind, ErrorKind::not_found) << file;
  }
  for (const char* configuration :
       {"", "[]", "{}", R"({"hidden_size": "8"})", R"({"hidden_size": 0})", R"({"hidden_size": -8})"}) {
    const auto model = describe_folder("m", make_model("m", configuration));
    ASSERT_FALSE(model.ok()) << configuration;
    EXPECT_NE(model.error().message.find("hidden_size"), std::string::npos);
  }
}

TEST_F(ModelsTest, AnUnknownNameListsTheModels) {
  const auto model = find_model({.built_in = root_.path(), .registered = {{"mine", "/x"}}}, "other");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().kind, ErrorKind::not_found);
  EXPECT_NE(model.error().message.find("minilm, mine"), std::string::npos) << model.error().message;
}

TEST_F(ModelsTest, ExaminingComparesThePins) {
  for (const char* file : {"config.json", "tokenizer.json", "model.fp16.safetensors"})
    write(folder("all-MiniLM-L6-v2") / file, "not the weights");
  const auto files = examine_files(*find_model({.built_in = root_.path()}, "minilm"));
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 3U);
  for (const ModelFile& file : *files) EXPECT_EQ(file.is_pinned, false) << file.name;
  const auto unpinned = examine_files(*describe_folder("m", make_model("m")));
  EXPECT_EQ(unpinned->back().name, "model.safetensors");
  EXPECT_EQ(unpinned->back().size_bytes, 7U);
  EXPECT_FALSE(unpinned->back().is_pinned.has_value());
}

TEST_F(ModelsTest, ThePinsAreThoseOfTheSetUp) {
  const std::string downloads = read_file(fs::path(LOCI_SOURCE_FOLDER) / "tools" / "downloads.txt").value();
  for (const char* sha256 : {"953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                             "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                             "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"}) {
    EXPECT_NE(downloads.find(sha256), std::string::npos) << sha256;
    EXPECT_NE(read_file(fs::path(LOCI_SOURCE_FOLDER) / "src" / "embed" / "models.cc")->find(sha256), std::string::npos);
  }
}

}  // namespace
}  // namespace loci
