#include "api/operations.h"

#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/fake_backend.h"
#include "api/request.h"
#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

class OperationsTest : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = register_fake(registry_, "loci");
    options_.sources.loci_home = folder_.path() / "home";
    options_.program_version = "0.0.0";
  }

  Result<Answer> call_with(std::string_view operation, std::string_view json) {
    Session session(options_, registry_);
    SilentCaller caller;
    return call(session, *find_operation(operation), parse_json(json, "the test").value(), caller);
  }

  Json answer(std::string_view operation, std::string_view json) {
    const Result<Answer> result = call_with(operation, json);
    EXPECT_TRUE(result.ok()) << operation << ": " << result.error().message;
    return result.ok() ? result->body : Json();
  }

  Error error(std::string_view operation, std::string_view json) {
    const Result<Answer> result = call_with(operation, json);
    EXPECT_FALSE(result.ok()) << operation << ": " << to_text(result->body, JsonLayout::one_line);
    return result.ok() ? Error{} : result.error();
  }

  fs::path palace() const { return options_.sources.loci_home / "palaces" / "default"; }

  TemporaryFolder folder_;
  BackendRegistry registry_;
  FakeBackend* backend_ = nullptr;
  SessionOptions options_;
};

TEST(OperationTableTest, EntriesAreWhole) {
  std::set<std::string_view> names;
  for (const Operation* operation : operations()) {
    SCOPED_TRACE(operation->name);
    EXPECT_TRUE(names.insert(operation->name).second);
    EXPECT_NE(operation->run, nullptr);
    EXPECT_TRUE(operation->summary.ends_with('.'));
    EXPECT_FALSE(operation->examples.empty());
    EXPECT_EQ(find_operation(operation->name), operation);
    EXPECT_TRUE(operation->creates_palace == CreatesPalace::no || operation->effect == Effect::writes);
    std::set<std::string_view> fields;
    for (const Field& field : operation->fields) {
      SCOPED_TRACE(field.name);
      EXPECT_TRUE(fields.insert(field.name).second);
      EXPECT_FALSE(field.help.empty());
      EXPECT_FALSE(field.is_required && !field.default_value.empty());
      EXPECT_TRUE(field.default_value.empty() || parse_json(field.default_value, "default").ok());
    }
    EXPECT_TRUE(request_schema(*operation).is_object());
  }
  EXPECT_EQ(find_operation("no such thing"), nullptr);
}

TEST_F(OperationsTest, WhatReadsOrChangesNeedsAPalaceAndCreatesNone) {
  const std::pair<std::string_view, std::string_view> calls[] = {
      {"status", "{}"},
      {"get", R"({"ids": ["a"]})"},
      {"list", "{}"},
      {"search", R"({"query": "q"})"},
      {"update", R"({"id": "a", "room": "r"})"},
      {"delete", R"({"ids": ["a"]})"},
      {"export", "{}"},
      {"set_embedder", R"({"model": "m"})"},
  };
  for (const auto& [operation, json] : calls) {
    const Error failure = error(operation, json);
    EXPECT_EQ(failure.kind, ErrorKind::palace_not_found) << operation;
    EXPECT_EQ(failure.message, "there is no palace at " + palace().string() +
                                   "; create one with init, add, mine, import, migrate or restore");
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(OperationsTest, ADrawerThatIsRefusedCreatesNoPalace) {
  EXPECT_EQ(error("add", R"({"document": " "})").kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error("add", R"({"document": "x", "wing": ""})").kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error("add", R"({"document": "x", "metadata": {"a": null}})").kind, ErrorKind::invalid_argument);
  options_.sources.flags.embedder = "no such embedder";
  EXPECT_EQ(error("add", R"({"document": "x"})").kind, ErrorKind::invalid_argument);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(OperationsTest, ADrawerGoesInAndComesOut) {
  const Json added =
      answer("add", R"({"document": "tea", "wing": "people", "room": "ana", "metadata": {"year": 2020}})");
  const std::string id = added.at("id");
  const Json found = answer("get", Json{{"ids", {id}}}.dump());
  EXPECT_EQ(found.at("drawers").at(0), added);
  EXPECT_EQ(found.at("missing"), Json::array());
  EXPECT_EQ(added.at("document"), "tea");
  EXPECT_EQ(added.at("metadata").at("year"), 2020);
}

TEST_F(OperationsTest, AnExportTakesNoFilesPlaceInAPalace) {
  answer("add", R"({"document": "tea"})");
  fs::create_directory_symlink(palace(), folder_.path() / "link");
  const std::vector<std::pair<fs::path, std::string>> palaces = {
      {palace(), "palace.json"}, {palace(), "below/new"}, {folder_.path() / "link", "loci.fake"}};
  for (const auto& [folder, name] : palaces) {
    const Error failure = error("export", Json{{"output", (folder / name).string()}}.dump());
    EXPECT_EQ(failure.kind, ErrorKind::invalid_argument) << failure.message;
  }
  EXPECT_EQ(read_file(palace() / "loci.fake").value(), "here\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(palace()), fs::directory_iterator()), 1);

  options_.sources.flags.palace = (folder_.path() / "other").string();
  answer("add", R"({"document": "coffee"})");
  EXPECT_EQ(error("export", Json{{"output", (palace() / "loci.fake").string()}}.dump()).kind,
            ErrorKind::invalid_argument);
}

TEST_F(OperationsTest, WithoutAnEmbedderTextsWaitForTheirVectors) {
  answer("add", R"({"document": "tea"})");
  EXPECT_EQ(backend_->last_options.embedder, nullptr);
  EXPECT_EQ(backend_->last_options.embed_text, EmbedText::later);
}

TEST_F(OperationsTest, WithAnEmbedderTextsAreEmbeddedWhenTheSettingsSaySoAndReadsDoNotLoadIt) {
  options_.sources.flags.embedder = "hash";
  answer("add", R"({"document": "tea"})");
  EXPECT_NE(backend_->last_options.embedder, nullptr) << "its model is compared with the stored one";
  EXPECT_EQ(backend_->last_options.embed_text, EmbedText::later);
  options_.sources.flags.embed = "now";
  answer("add", R"({"document": "tea"})");
  EXPECT_EQ(backend_->last_options.embed_text, EmbedText::on_write);
  answer("list", "{}");
  EXPECT_EQ(backend_->last_options.embedder, nullptr);
}

TEST_F(OperationsTest, MissingDrawersAreNamedBesideTheOthers) {
  answer("add", R"({"document": "tea", "id": "a"})");
  const Answer found = call_with("get", R"({"ids": ["a", "b"]})").value();
  EXPECT_EQ(found.outcome, Outcome::not_found);
  EXPECT_EQ(found.body.at("drawers").size(), 1U);
  EXPECT_EQ(found.body.at("missing"), Json::array({"b"}));
}

TEST_F(OperationsTest, ListAndDeleteTakeTheSameScope) {
  answer("add", R"({"document": "x", "id": "a", "wing": "w", "metadata": {"n": 1}})");
  answer("add", R"({"document": "y", "id": "b", "wing": "w", "metadata": {"n": 2}})");
  const std::string_view scope = R"({"wing": "w", "where": {"n": {"$gt": 1}}})";
  const Json list = answer("list", scope);
  EXPECT_EQ(list.at("total"), 1);
  EXPECT_EQ(list.at("drawers").at(0).at("id"), "b");
  EXPECT_EQ(answer("delete", R"({"wing": "w", "where": {"n": {"$gt": 1}}, "dry_run": true})").at("deleted"), 1);
  EXPECT_EQ(answer("delete", scope).at("deleted"), 1);
  EXPECT_EQ(answer("list", "{}").at("total"), 1);
}

TEST_F(OperationsTest, FiltersAreNeverDropped) {
  answer("add", R"({"document": "x"})");
  for (const std::string_view operation : {"list", "delete"}) {
    const Error failure = error(operation, R"({"where": {"$and": [{"a": 1}, {"b": {"$regex": "x"}}]}})");
    EXPECT_EQ(failure.kind, ErrorKind::unsupported_filter);
    EXPECT_NE(failure.message.find("$regex"), std::string::npos);
  }
  EXPECT_EQ(error("delete", R"({"where": {}})").kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error("delete", "{}").kind, ErrorKind::invalid_argument);
  EXPECT_EQ(answer("list", "{}").at("total"), 1);
}

TEST_F(OperationsTest, SearchSaysWhatItLacks) {
  answer("add", R"({"document": "green tea", "wing": "people", "room": "ana", "source": "notes.md"})");
  const Json found = answer("search", R"({"query": "tea"})");
  EXPECT_EQ(found.at("query"), "tea");
  const Json& hit = found.at("hits").at(0);
  EXPECT_EQ(hit.at("document"), "green tea");
  EXPECT_EQ(hit.at("wing"), "people");
  EXPECT_EQ(hit.at("source"), "notes.md");
  EXPECT_TRUE(hit.at("score").is_number());
  EXPECT_EQ(to_text(hit.at("highlights"), JsonLayout::one_line), R"([{"start":6,"end":9}])");
  EXPECT_EQ(found.at("drawers_in_scope"), 1);
  EXPECT_EQ(found.at("degraded").at(0).at("reason"),
            "words only: the model minilm is not there; tools/setup.sh fetches it");
  EXPECT_EQ(error("search", R"({"query": ""})").kind, ErrorKind::invalid_argument);
}

TEST_F(OperationsTest, InitCreatesOnceAndKeepsTheSettingsOfItsFlags) {
  EXPECT_EQ(answer("init", "{}").at("created"), true);
  EXPECT_EQ(answer("init", "{}").at("created"), false);
  EXPECT_FALSE(fs::exists(palace() / "palace.json"));
  options_.sources.flags.collection = "notes";
  EXPECT_EQ(answer("init", "{}").at("configuration_written"), true);
  EXPECT_EQ(read_file(palace() / "palace.json").value(), "{\n  \"collection\": \"notes\"\n}\n");
  options_.sources.flags.collection.reset();
  EXPECT_EQ(answer("status", "{}").at("collection").at("reason"), "set in palace.json");
}

TEST_F(OperationsTest, InitOnAServerMakesNoFolder) {
  options_.sources.flags.palace = "http://localhost:8000/tenant/database";
  options_.sources.flags.backend = "loci";
  options_.sources.flags.collection = "notes";
  const Json made = answer("init", "{}");
  EXPECT_EQ(made.at("created"), true);
  EXPECT_EQ(made.at("configuration_written"), false);
}

TEST_F(OperationsTest, StatusDoesNotCountTheRecordOfAMigrationAsADrawer) {
  answer("init", "{}");
  backend_->palaces.begin()->second["loci_migrations"] = std::make_shared<FakeCollection>();
  const Json status = answer("status", "{}");
  ASSERT_EQ(status.at("collections").size(), 1U);
  EXPECT_EQ(status.at("collections").at(0).at("name"), "drawers");
}

TEST_F(OperationsTest, InitDoesNotKeepWhatTheEnvironmentSays) {
  options_.sources.environment.collection = "notes";
  answer("init", "{}");
  EXPECT_FALSE(fs::exists(palace() / "palace.json"));
}

TEST_F(OperationsTest, StatusCountsWingsRoomsAndCollections) {
  answer("add", R"({"document": "x", "wing": "w", "room": "a"})");
  answer("add", R"({"document": "y", "wing": "w", "room": "b"})");
  options_.sources.flags.collection = "more";
  answer("add", R"({"document": "z"})");
  options_.sources.flags.collection.reset();
  const Json status = answer("status", "{}");
  EXPECT_EQ(status.at("drawers"), 2);
  EXPECT_EQ(status.at("wings").at(0).at("drawers"), 2);
  EXPECT_EQ(status.at("wings").at(0).at("rooms").at(1).at("room"), "b");
  EXPECT_EQ(status.at("collections").size(), 2U);
  EXPECT_EQ(status.at("backend").at("name"), "loci");
  EXPECT_EQ(status.at("backend").at("reason"), "found on disk");
  EXPECT_GT(status.at("size_bytes").get<std::size_t>(), 0U);
}

TEST_F(OperationsTest, AMissingCollectionIsNotAMissingPalace) {
  answer("init", "{}");
  options_.sources.flags.collection = "other";
  EXPECT_EQ(error("list", "{}").kind, ErrorKind::collection_not_initialized);
  EXPECT_EQ(error("status", "{}").kind, ErrorKind::collection_not_initialized);
  options_.sources.flags.collection.reset();
  options_.sources.environment.collection = "other";
  EXPECT_EQ(answer("status", "{}").at("collections").size(), 1U) << "where to look what there is";
}

TEST_F(OperationsTest, ReadOnlyRefusesWhatWrites) {
  answer("add", R"({"document": "x", "id": "a"})");
  options_.access = Access::read_only;
  for (const std::string_view operation : {"add", "update", "delete", "init", "import", "set_embedder"}) {
    const std::string_view json = operation == "add"      ? R"({"document": "y"})"
                                  : operation == "update" ? R"({"id": "a", "room": "r"})"
                                  : operation == "delete" ? R"({"ids": ["a"]})"
                                  : operation == "import" ? R"({"input": "f"})"
                                  : operation == "init"   ? "{}"
                                                          : R"({"model": "m"})";
    EXPECT_EQ(error(operation, json).kind, ErrorKind::invalid_argument) << operation;
  }
  EXPECT_EQ(answer("list", "{}").at("total"), 1);
  EXPECT_EQ(backend_->last_options.access, Access::read_only);
}

TEST_F(OperationsTest, ReadOnlyRefusesWhatWritesAFile) {
  answer("add", R"({"document": "x", "id": "a"})");
  options_.access = Access::read_only;
  const std::string file = (folder_.path() / "out").string();
  const std::pair<std::string_view, Json> calls[] = {
      {"export", {{"output", file}}},
      {"backup", {{"file", file}}},
      {"repair", {{"output", file}}},
      {"eval", {{"set", "jsonl"}, {"data", "d"}, {"rows", file}}},
      {"bench", {{"bench", "vectors"}, {"ids_output", file}}},
  };
  for (const auto& [operation, fields] : calls) {
    const Error failure = error(operation, fields.dump());
    EXPECT_EQ(failure.kind, ErrorKind::invalid_argument) << operation;
    EXPECT_NE(failure.message.find("read-only forbids"), std::string::npos) << failure.message;
  }
  EXPECT_NE(error("export", Json{{"output", file}}.dump()).message.find("standard output"), std::string::npos);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(error("export", "{}").kind, ErrorKind::unsupported) << "it may; only this caller has no stream";
}

TEST_F(OperationsTest, AnExportReplacesAFileOnlyWhenAPersonSaysSo) {
  answer("add", R"({"document": "x", "id": "a"})");
  const fs::path file = folder_.path() / "precious";
  ASSERT_TRUE(write_file_atomically(file, "mine").ok());
  EXPECT_EQ(error("export", Json{{"output", file.string()}}.dump()).kind, ErrorKind::already_exists);
  EXPECT_EQ(error("export", Json{{"output", file.string()}, {"overwrite", true}}.dump()).kind,
            ErrorKind::invalid_argument);
  EXPECT_EQ(read_file(file).value(), "mine");
}

TEST_F(OperationsTest, WhatOnlyLooksIsNoChange) {
  for (const auto& [operation, looking, changing] :
       {std::tuple("mine", R"({"path": "p", "dry_run": true})", R"({"path": "p"})"),
        std::tuple("sync", R"({"path": "p"})", R"({"path": "p", "apply": true})")}) {
    const Operation& entry = *find_operation(operation);
    const auto effect = [&](const char* json) {
      return entry.effect_of(Request::make(entry, parse_json(json, "the test").value()).value());
    };
    EXPECT_EQ(effect(looking), Effect::reads) << operation;
    EXPECT_EQ(effect(changing), entry.effect) << operation;
  }
}

TEST_F(OperationsTest, MiningWithABackendThatKeepsNoSourcesMakesNoPalace) {
  const fs::path project = folder_.path() / "project";
  fs::create_directories(project);
  ASSERT_TRUE(write_file_atomically(project / "a.md", "tea").ok());
  for (const bool is_dry_run : {false, true}) {
    const Error failure = error("mine", Json{{"path", project.string()}, {"dry_run", is_dry_run}}.dump());
    EXPECT_EQ(failure.kind, ErrorKind::unsupported);
    EXPECT_NE(failure.message.find("the backend loci keeps no sources"), std::string::npos) << failure.message;
  }
  EXPECT_FALSE(fs::exists(palace()));
}

TEST_F(OperationsTest, AnUnknownBackendIsNamedWithWhoSaidIt) {
  options_.sources.environment.backend = "nope";
  const Error failure = error("list", "{}");
  EXPECT_EQ(failure.kind, ErrorKind::invalid_argument);
  EXPECT_NE(failure.message.find("nope was set in the environment"), std::string::npos) << failure.message;
}

TEST_F(OperationsTest, APalaceOfOneBackendGetsNoSecondStoreOfAnother) {
  register_fake(registry_, "other");
  answer("add", R"({"document": "tea"})");
  const auto expect_refused = [&](std::string_view holds, std::string_view why) {
    for (const std::string_view operation : {"init", "add", "list"}) {
      const Error failure = error(operation, operation == "add" ? R"({"document": "x"})" : "{}");
      EXPECT_EQ(failure.kind, ErrorKind::invalid_argument);
      EXPECT_NE(failure.message.find(holds), std::string::npos) << failure.message;
      EXPECT_NE(failure.message.find(why), std::string::npos) << failure.message;
    }
  };
  options_.sources.environment.backend = "other";
  expect_refused("a palace of the backend loci and none of other", "other was set in the environment");
  options_.sources.environment.backend.reset();
  options_.sources.flags.backend = "other";
  expect_refused("a palace of the backend loci and none of other", "other was given as a flag");
  EXPECT_FALSE(fs::exists(palace() / "other.fake"));

  options_.sources.flags.palace = (folder_.path() / "second").string();
  answer("init", "{}");
  options_.sources.flags.backend = "loci";
  expect_refused("a palace of the backend other and none of loci", "loci was given as a flag");
}

TEST_F(OperationsTest, BackendsAreListedWithTheOneInUse) {
  register_fake(registry_, "other");
  const Json list = answer("backends", "{}");
  EXPECT_EQ(list.at("backends").size(), 2U);
  EXPECT_EQ(list.at("selected").at("name"), "loci");
  EXPECT_EQ(list.at("selected").at("reason"), "the default");
}

TEST_F(OperationsTest, AModelIsReplacedOnlyByForce) {
  answer("init", "{}");
  answer("set_embedder", R"({"model": "first"})");
  EXPECT_EQ(error("set_embedder", R"({"model": "second"})").kind, ErrorKind::embedder_mismatch);
  EXPECT_EQ(error("set_embedder", R"({"model": ""})").kind, ErrorKind::invalid_argument);
  answer("set_embedder", R"({"model": "second", "force_model_swap": true})");
  EXPECT_EQ(answer("status", "{}").at("model"), "second");
}

TEST_F(OperationsTest, DoctorReportsAlsoWhatKeepsOthersFromRunning) {
  fs::create_directories(options_.sources.loci_home);
  ASSERT_TRUE(write_file_atomically(options_.sources.loci_home / "config.json", "{").ok());
  const Answer report = call_with("doctor", "{}").value();
  EXPECT_EQ(report.outcome, Outcome::needs_attention);
  EXPECT_EQ(report.body.at("state"), "problem");
}

TEST(ErrorToJsonTest, HasKindAndMessage) {
  EXPECT_EQ(to_text(error_to_json({ErrorKind::busy, "wait"}), JsonLayout::one_line),
            R"({"error":{"kind":"busy","message":"wait"}})");
}

}  // namespace
}  // namespace loci
