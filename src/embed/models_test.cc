#include "embed/models.h"

#include <fstream>
#include <sstream>

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
  EXPECT_EQ(list_models(places).size(), 3U);
}

TEST_F(ModelsTest, OnlyTheFilesOfBuiltInModelsArePinned) {
  const ModelPlaces places = {.built_in = root_.path(), .registered = {{"mine", make_model("m")}}};
  EXPECT_EQ(pins_of(*find_model(places, "minilm")).size(), 6U);
  EXPECT_EQ(pins_of(*find_model(places, "minilm+windows")).size(), 6U);
  EXPECT_TRUE(pins_of(*find_model(places, "mine")).empty());
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

TEST_F(ModelsTest, WeightsMayLieInTheFolderOfTheOnnxLayout) {
  fs::remove(make_model("m") / "model.safetensors");
  write(folder("m") / "onnx" / "model.onnx", "weights");
  const auto model = describe_folder("m", folder("m"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(examine_files(*model)->back().name, "onnx/model.onnx");
}

TEST_F(ModelsTest, AnUnknownNameListsTheModels) {
  const auto model = find_model({.built_in = root_.path(), .registered = {{"mine", "/x"}}}, "other");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().kind, ErrorKind::not_found);
  EXPECT_NE(model.error().message.find("minilm, gte-small, mine"), std::string::npos) << model.error().message;
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
  const std::string table = read_file(fs::path(LOCI_SOURCE_FOLDER) / "src" / "embed" / "models.cc").value();
  std::istringstream lines(downloads);
  std::size_t pins = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("models/")) continue;
    const std::string sha256 = line.substr(line.find_last_of(' ') + 1);
    EXPECT_NE(table.find('"' + sha256 + '"'), std::string::npos) << line;
    ++pins;
  }
  EXPECT_EQ(pins, 9U);
}

TEST_F(ModelsTest, TheSecondSourceOfAModelWillDo) {
  const fs::path folder = root_.path() / "all-MiniLM-L6-v2";
  fs::create_directories(folder);
  for (const char* name : {"config.json", "tokenizer.json"}) write(folder / name, "{}");
  EXPECT_FALSE(find_model({.built_in = root_.path()}, "minilm")->is_present);
  write(folder / "model_quantized.onnx", "weights");
  EXPECT_TRUE(find_model({.built_in = root_.path()}, "minilm")->is_present);
}

TEST_F(ModelsTest, AModelThatIsFetchedWhenAskedForSaysHow) {
  const ModelFolder model = *find_model({.built_in = root_.path()}, "gte-small");
  EXPECT_FALSE(model.is_present);
  EXPECT_NE(missing_model(model).message.find("./loci model add gte-small"), std::string::npos);
}

}  // namespace
}  // namespace loci
