#include <fstream>

#include <gtest/gtest.h>

#include "api/fake_backend.h"
#include "api/operations.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "embed/tiny_model.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

class ModelOperationTest : public testing::Test {
 protected:
  void SetUp() override {
    register_fake(registry_, "loci");
    options_.sources.loci_home = folder_.path() / "home";
    options_.sources.models_folder = folder_.path() / "models";
  }

  Result<Answer> call_model(const Json& fields) {
    Session session(options_, registry_);
    SilentCaller caller;
    return call(session, *find_operation("model"), fields, caller);
  }
  Json answer(const Json& fields) {
    const Result<Answer> answer = call_model(fields);
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return answer.ok() ? answer->body : Json();
  }
  Error error(const Json& fields) {
    const Result<Answer> answer = call_model(fields);
    EXPECT_FALSE(answer.ok());
    return answer.ok() ? Error{} : answer.error();
  }

  static void write(const fs::path& path, std::string_view content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  fs::path make_model(const std::string& name, std::uint32_t seed = 1) const {
    TinyModel(seed).write(folder_.path() / name);
    return folder_.path() / name;
  }
  Result<Answer> add(const std::string& name, const fs::path& folder) {
    return call_model({{"action", "add"}, {"name", name}, {"folder", folder.string()}});
  }
  fs::path user_file() const { return options_.sources.loci_home / "config.json"; }

  TemporaryFolder folder_;
  BackendRegistry registry_;
  SessionOptions options_;
};

TEST_F(ModelOperationTest, ListsModelsAndCreatesNothing) {
  const Json listed = answer({{"action", "list"}});
  EXPECT_EQ(listed.at("models").at(0).at("name"), "minilm");
  EXPECT_EQ(listed.at("models").at(0).at("present"), false);
  EXPECT_EQ(listed.at("embedder").at("name"), "none");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ModelOperationTest, AnAddedFolderIsAModelAndStaysWhereItIs) {
  const fs::path model = make_model("mine");
  EXPECT_EQ(answer({{"action", "add"}, {"name", "mine"}, {"folder", model.string()}}).at("dimension"), 32);
  EXPECT_EQ(answer({{"action", "show"}, {"name", "mine"}}).at("folder"), model.string());
  EXPECT_EQ(answer({{"action", "list"}}).at("models").size(), 3U);
  fs::remove(model / "tokenizer.json");
  const Json gone = answer({{"action", "show"}, {"name", "mine"}});
  EXPECT_NE(gone.at("problem").get<std::string>().find("tokenizer.json"), std::string::npos);
}

TEST_F(ModelOperationTest, AModelThatReadsWindowsIsOneOfItsOwn) {
  ASSERT_TRUE(add("mine", make_model("mine")).ok());
  EXPECT_EQ(answer({{"action", "list"}}).at("models").at(2).at("windows"), "mine+windows");
  const Json used = answer({{"action", "use"}, {"name", "mine+windows"}});
  EXPECT_EQ(used.at("embedder").at("name"), "mine+windows");
  EXPECT_EQ(answer({{"action", "check"}}).at("identity"), "mine+windows");
  EXPECT_EQ(answer({{"action", "list"}}).at("models").at(2).at("in_use"), true);
}

TEST_F(ModelOperationTest, AModelThatLociKnowsNeedsNoFolder) {
  const Error missing = error({{"action", "add"}, {"name", "gte-small"}});
  EXPECT_EQ(missing.kind, ErrorKind::unavailable);
  EXPECT_NE(missing.message.find("./loci model add gte-small"), std::string::npos) << missing.message;
  for (const char* file : {"config.json", "tokenizer.json", "model.onnx"})
    write(options_.sources.models_folder / "gte-small" / file, "{}");
  EXPECT_EQ(answer({{"action", "add"}, {"name", "gte-small"}}).at("present"), true);
}

TEST_F(ModelOperationTest, ReadOnlyListsAndShowsButChoosesNothing) {
  options_.access = Access::read_only;
  EXPECT_EQ(answer({{"action", "list"}}).at("models").size(), 2U);
  EXPECT_EQ(answer({{"action", "show"}, {"name", "minilm"}}).at("present"), false);
  EXPECT_FALSE(call_model({{"action", "use"}, {"name", "hash"}}).ok());
}

TEST_F(ModelOperationTest, WhatCannotBeAddedChangesNothing) {
  EXPECT_EQ(error({{"action", "add"}, {"name", "x"}}).kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error({{"action", "add"}, {"name", "x"}, {"folder", "/nowhere"}}).kind, ErrorKind::not_found);
  const std::string model = make_model("m").string();
  EXPECT_EQ(error({{"action", "add"}, {"name", "minilm"}, {"folder", model}}).kind, ErrorKind::already_exists);
  EXPECT_EQ(error({{"action", "add"}, {"name", "hash-9"}, {"folder", model}}).kind, ErrorKind::invalid_argument);
  EXPECT_FALSE(fs::exists(options_.sources.loci_home));
}

TEST_F(ModelOperationTest, ANameStandsForOneModel) {
  const fs::path a = make_model("a");
  ASSERT_TRUE(add("mine", a).ok());
  EXPECT_TRUE(add("mine", a).ok()) << "it is that model";
  EXPECT_EQ(add("mine", make_model("b", 2)).error().kind, ErrorKind::already_exists);
  EXPECT_EQ(answer({{"action", "show"}, {"name", "mine"}}).at("folder"), a.string());
  EXPECT_TRUE(add("other", folder_.path() / "b").ok());
  EXPECT_TRUE(add("mine", make_model("moved")).ok()) << "the same files elsewhere";
}

TEST_F(ModelOperationTest, NoModelTakesTheIdentityOfAnother) {
  EXPECT_EQ(add("all-MiniLM-L6-v2", make_model("b")).error().kind, ErrorKind::already_exists);
}

TEST_F(ModelOperationTest, FilesThatWereChangedInPlaceAreNoticed) {
  const fs::path model = make_model("mine");
  ASSERT_TRUE(add("mine", model).ok());
  EXPECT_TRUE(call_model({{"action", "check"}, {"name", "mine"}}).ok());
  TinyModel(2).write(model);
  EXPECT_EQ(error({{"action", "check"}, {"name", "mine"}}).kind, ErrorKind::embedder_mismatch);
  EXPECT_EQ(add("mine", model).error().kind, ErrorKind::already_exists);
}

TEST_F(ModelOperationTest, AListWrittenByHandNamesFolders) {
  const fs::path model = make_model("mine");
  write(options_.sources.loci_home / "models.json", Json{{"mine", model.string()}}.dump());
  EXPECT_TRUE(call_model({{"action", "check"}, {"name", "mine"}}).ok());
  EXPECT_EQ(add("mine", make_model("b", 2)).error().kind, ErrorKind::already_exists);
}

TEST_F(ModelOperationTest, WhatCannotWorkIsNotAdded) {
  const fs::path model = make_model("m");
  fs::resize_file(model / "model.safetensors", 1000);
  EXPECT_EQ(add("m", model).error().kind, ErrorKind::corruption);
  write(make_model("r") / "config.json", R"({"model_type": "roberta", "hidden_size": 8})");
  EXPECT_EQ(add("r", folder_.path() / "r").error().kind, ErrorKind::unsupported);
  EXPECT_FALSE(fs::exists(options_.sources.loci_home));
}

TEST_F(ModelOperationTest, DoctorSeesAModelThatIsMissingOrDamaged) {
  const auto embedder_check = [&]() -> Json {
    Session session(options_, registry_);
    SilentCaller caller;
    const Result<Answer> report = call(session, *find_operation("doctor"), Json::object(), caller);
    EXPECT_TRUE(report.ok());
    for (const Json& check : report->body.at("checks")) {
      if (check.at("name") == "embedder") return check;
    }
    return nullptr;
  };
  EXPECT_EQ(embedder_check().at("state"), "warning");
  EXPECT_NE(embedder_check().at("detail").get<std::string>().find("tools/setup.sh"), std::string::npos);
  const fs::path model = make_model("mine");
  ASSERT_TRUE(add("mine", model).ok());
  answer({{"action", "use"}, {"name", "mine"}});
  EXPECT_EQ(embedder_check().at("state"), "ok");
  fs::resize_file(model / "model.safetensors", 1000);
  EXPECT_EQ(embedder_check().at("state"), "problem");
  EXPECT_NE(embedder_check().at("detail").get<std::string>().find("model.safetensors"), std::string::npos);
  answer({{"action", "use"}, {"name", "none"}});
  EXPECT_TRUE(embedder_check().is_null()) << "none was chosen";
}

TEST_F(ModelOperationTest, WhatWouldBeIgnoredIsRefused) {
  EXPECT_EQ(error({{"action", "list"}, {"name", "minilm"}}).kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error({{"action", "show"}, {"name", "minilm"}, {"folder", "/x"}}).kind, ErrorKind::invalid_argument);
}

TEST_F(ModelOperationTest, UseKeepsTheRestOfTheConfiguration) {
  write(user_file(), R"({"collection": "notes"})");
  const Json used = answer({{"action", "use"}, {"name", "hash-8"}});
  EXPECT_EQ(used.at("embedder").at("name"), "hash-8");
  EXPECT_EQ(read_file(user_file()).value(), "{\n  \"collection\": \"notes\",\n  \"embedder\": \"hash-8\"\n}\n");
}

TEST_F(ModelOperationTest, AnUnknownModelOrABrokenConfigurationIsNotWrittenOver) {
  EXPECT_EQ(error({{"action", "use"}, {"name", "no-such"}}).kind, ErrorKind::invalid_argument);
  EXPECT_FALSE(fs::exists(user_file()));
  write(user_file(), "{\n\"collection\": }");
  EXPECT_NE(error({{"action", "use"}, {"name", "hash"}}).message.find("line 2"), std::string::npos);
  EXPECT_EQ(read_file(user_file()).value(), "{\n\"collection\": }");
}

TEST_F(ModelOperationTest, UseSaysWhenSomethingElseDecides) {
  options_.sources.environment.embedder = "hash-4";
  EXPECT_NE(answer({{"action", "use"}, {"name", "hash-8"}}).at("note").get<std::string>().find("hash-4"),
            std::string::npos);
}

TEST_F(ModelOperationTest, CheckEmbedsAProbe) {
  const Json checked = answer({{"action", "check"}, {"name", "hash"}});
  EXPECT_EQ(checked.at("dimension"), 384);
  EXPECT_EQ(checked.at("sound"), true);
  EXPECT_EQ(error({{"action", "check"}}).kind, ErrorKind::invalid_argument) << "none has no model";
  EXPECT_NE(error({{"action", "check"}, {"name", "minilm"}}).message.find("tools/setup.sh"), std::string::npos);
}

TEST_F(ModelOperationTest, ABrokenListOfModelsIsReportedAndLeftAlone) {
  write(options_.sources.loci_home / "models.json", R"({"a": 1})");
  EXPECT_NE(error({{"action", "list"}}).message.find("models.json"), std::string::npos);
  const std::string model = make_model("m").string();
  EXPECT_FALSE(call_model({{"action", "add"}, {"name", "m"}, {"folder", model}}).ok());
  EXPECT_EQ(read_file(options_.sources.loci_home / "models.json").value(), R"({"a": 1})");
}

}  // namespace
}  // namespace loci
