// migrate and verify --against, as people type them; with a Chroma server where LOCI_CHROMA_SERVER names one.
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/chroma/real_server.h"
#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class MigrateCommandTest : public EndToEndTest {
 protected:
  // A palace with vectors, as a MemPalace would be called.
  void make_source() {
    std::string lines;
    for (int i = 0; i < 20; ++i) {
      const std::string number = std::to_string(i);
      lines += R"({"collection": "mempalace_drawers", "id": "d)" + number + R"(", "document": "the text number )" +
               number + R"(", "metadata": {"wing": "shop", "n": )" + number + R"(}, "embedding": [1.5, )" + number +
               "]}\n";
    }
    lines += R"({"collection": "mempalace_closets", "id": "c", "document": "a pointer", "embedding": [1, 2, 3]})"
             "\n";
    write(folder() / "lines.jsonl", lines);
    ok({"import", "lines.jsonl", "--palace", "./old", "--source-model", "hash"});
  }
  static const std::vector<std::string>& from_old() {
    static const std::vector<std::string> kArguments{"migrate", "--from", "loci", "--source", "./old"};
    return kArguments;
  }
  static std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(MigrateCommandTest, APalaceIsMigratedAndComparedAndItsDrawersAreTheDefault) {
  make_source();
  write(folder() / "old" / "knowledge_graph.sqlite3", "facts, byte for byte");
  const auto before = listing(folder() / "old");
  const Json report = json(with(from_old(), {"--palace", "./new"}));
  EXPECT_EQ(report.at("records"), 21);
  EXPECT_EQ(report.at("missing"), 0);
  EXPECT_EQ(report.at("lossless"), true);
  EXPECT_EQ(report.at("default_collection"), "mempalace_drawers");
  EXPECT_EQ(read(folder() / "new" / "imported" / "knowledge_graph.sqlite3"), "facts, byte for byte");
  EXPECT_EQ(listing(folder() / "old"), before) << "the source is as it was";
  EXPECT_EQ(json({"list", "--palace", "./new"}).at("total"), 20) << "no collection needs to be named";
  EXPECT_NE(ok({"verify", "--palace", "./new", "--against", "./old"}).find("all are here"), std::string::npos);
  expect_failure(with(from_old(), {"--palace", "./new"}), 1, "migrated from there already");
  ok(with(from_old(), {"--palace", "./new", "--overwrite"}));
}

TEST_F(MigrateCommandTest, WhatHasNoVectorNeedsAttentionAndIsMadeOnlyWhenAskedFor) {
  ok({"add", "a text without a vector", "--palace", "./old", "--no-embed", "--embedder", "hash"});
  const Finished migrated = loci(with(from_old(), {"--palace", "./new", "--json"}));
  EXPECT_EQ(migrated.exit_code, 4) << migrated.err;
  EXPECT_EQ(Json::parse(migrated.out).at("missing"), 1);
  EXPECT_EQ(json({"status", "--palace", "./new"}).at("missing"), 1);
  EXPECT_EQ(json({"embed", "--palace", "./new", "--embedder", "hash"}).at("embedded"), 0);
  EXPECT_EQ(json({"embed", "--missing", "--palace", "./new", "--embedder", "hash"}).at("embedded"), 1);
  EXPECT_EQ(json({"status", "--palace", "./new"}).at("missing"), 0);
}

TEST_F(MigrateCommandTest, ADifferenceIsFoundAndASourceThatIsNotThereIsAnError) {
  make_source();
  ok(with(from_old(), {"--palace", "./new"}));
  ok({"delete", "d3", "--palace", "./new"});
  const Finished found = loci({"verify", "--palace", "./new", "--against", "./old"});
  EXPECT_EQ(found.exit_code, 4);
  EXPECT_NE(found.out.find("d3"), std::string::npos) << found.out;
  expect_failure({"migrate", "--source", "./nowhere", "--palace", "./third"}, 3, "there is no source");
  EXPECT_FALSE(std::filesystem::exists(folder() / "third"));
}

TEST_F(MigrateCommandTest, AServerThatIsAwayIsNamedWithWhatToDo) {
  expect_failure({"status", "--palace", "http://127.0.0.1:9/a/b/c"}, 2, "http://HOST:PORT");
}

TEST_F(MigrateCommandTest, ThroughAServerAndBackEveryRecordIsTheSame) {
  const char* server = std::getenv("LOCI_CHROMA_SERVER");
  if (server == nullptr) GTEST_SKIP() << "no Chroma server: LOCI_CHROMA_SERVER names none";
  make_source();
  const std::string url = std::string(server) + "/tenant_" + random_hex(8) + "/notes";
  EXPECT_EQ(json(with(from_old(), {"--to", "chroma", "--palace", url})).at("records"), 21);
  EXPECT_NE(ok({"verify", "--palace", url, "--against", "./old"}).find("all are here"), std::string::npos);
  EXPECT_EQ(json({"migrate", "--source", url, "--palace", "./back"}).at("records"), 21);
  EXPECT_NE(ok({"verify", "--palace", "./back", "--against", "./old"}).find("all are here"), std::string::npos);
  EXPECT_EQ(json({"status", "--palace", url, "--collection", "mempalace_drawers"}).at("drawers"), 20);

  for (const char* text : {"the kettle is on the stove", "a train leaves at noon"}) {
    ok({"add", text, "--wing", "w", "--palace", url, "--embedder", "hash"});
  }
  const Json found = json({"search", "kettle stove", "--palace", url, "--embedder", "hash", "--limit", "1"});
  ASSERT_EQ(found.at("hits").size(), 1U);
  EXPECT_EQ(found.at("hits")[0].at("document"), "the kettle is on the stove");
  EXPECT_EQ(found.at("degraded")[0].at("part"), "words") << "the server has no search by words, and the answer says so";
}

TEST_F(MigrateCommandTest, IntoAFolderThatChromaOpens) {
  if (!chroma_tests::has_migrations()) GTEST_SKIP() << "the texts of Chroma's migrations cannot be had here";
  if (!chroma_tests::has_server()) GTEST_SKIP() << "no Chroma server can be had here";
  make_source();
  chroma_tests::RealServer server(folder() / "server");
  const std::string target = server.data().string();
  EXPECT_EQ(json(with(from_old(), {"--to", "chroma", "--palace", target})).at("records"), 21);
  EXPECT_NE(ok({"verify", "--palace", target, "--against", "./old"}).find("all are here"), std::string::npos);
  EXPECT_EQ(std::filesystem::status(target).permissions(), std::filesystem::perms::owner_all);

  server.start();
  chroma_tests::ServerCollection drawers;
  for (const chroma_tests::ServerCollection& each : server.collections()) {
    if (each.name == "mempalace_drawers") drawers = each;
  }
  const chroma_tests::Expected found = server.get(drawers);
  ASSERT_EQ(found.size(), 20U);
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    const Record& record = found.at("d" + number);
    EXPECT_EQ(record.document, "the text number " + number);
    EXPECT_EQ(record.metadata, (Metadata{{"wing", "shop"}, {"n", std::int64_t{i}}}));
    ASSERT_TRUE(record.embedding);
    EXPECT_NEAR((*record.embedding)[0], 1.5, 1e-5);
    EXPECT_NEAR((*record.embedding)[1], i, 1e-4);
  }
  const Record theirs{
      .id = "new", .document = "Chroma's own", .metadata = {{"wing", "away"}}, .embedding = Embedding{1, 0}};
  server.call("POST", "collections/" + drawers.id + "/add", chroma_tests::request_body({theirs}));
  server.stop();
  EXPECT_EQ(json({"get", "new", "--palace", target}).at("drawers")[0].at("document"), "Chroma's own");
  EXPECT_EQ(json({"list", "--palace", target}).at("total"), 21);
}

}  // namespace
}  // namespace loci::end_to_end
