// `bench`, as people type it.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class BenchCommandTest : public EndToEndTest {
 protected:
  // Rows of two dimensions, each in a direction of its own.
  void write_rows(const std::string& name, int rows) {
    std::string bytes;
    for (int row = 0; row < rows; ++row) {
      const float values[] = {std::cos(static_cast<float>(row) * 0.1F), std::sin(static_cast<float>(row) * 0.1F)};
      bytes.append(reinterpret_cast<const char*>(values), sizeof(values));
    }
    write(folder() / name, bytes);
  }
};

TEST_F(BenchCommandTest, VectorsMeasuresTheRealStoreAndLeavesNothingBehind) {
  write_rows("base.f32", 40);
  write_rows("queries.f32", 3);
  const Json report = json({"bench", "vectors", "--base", "base.f32", "--queries", "queries.f32", "--dim", "2",
                            "--filter-fraction", "0.5", "--ids-output", "ids.json", "--folder", "."});
  EXPECT_EQ(report.at("rows"), 40);
  EXPECT_EQ(report.at("recall_at_10"), 1);
  EXPECT_EQ(report.at("filtered_recall_at_10"), 1);
  for (const char* name : {"warm_p50_us", "warm_p99_us", "new_process_ms", "load_seconds", "resident_mb"})
    EXPECT_GT(report.at(name).get<double>(), 0) << name;
  EXPECT_EQ(report.at("index_seconds").is_number() && report.at("bytes_per_row").is_number(), true);
  const Json ids = Json::parse(read(folder() / "ids.json"));
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids.at(2).size(), 10U);
  EXPECT_EQ(ids.at(2).at(0), 2) << "the row that is the query";
  for (const auto& [name, content] : listing(folder()))
    EXPECT_TRUE(name == "base.f32" || name == "queries.f32" || name == "ids.json" || name == "home") << name;
}

TEST_F(BenchCommandTest, VectorsMayKeepThePalaceAndUseItAgain) {
  write_rows("base.f32", 40);
  write_rows("queries.f32", 3);
  write_rows("more.f32", 41);
  const auto run = [&](const std::string& base) {
    return std::vector<std::string>{"bench",       "vectors", "--base", base,     "--queries",
                                    "queries.f32", "--dim",   "2",      "--keep", "kept"};
  };
  EXPECT_TRUE(json(run("base.f32")).at("load_seconds").is_number());
  const Json again = json(run("base.f32"));
  EXPECT_TRUE(again.at("load_seconds").is_null());
  EXPECT_EQ(again.at("recall_at_10"), 1);
  expect_failure(run("more.f32"), 2, "has 40 rows, the file 41");
}

TEST_F(BenchCommandTest, BackendHasThreePhasesWithTheStateBesideEach) {
  const Json report = json({"bench", "backend", "--records", "50", "--dim", "4"});
  std::vector<std::string> phases;
  for (const Json& phase : report.at("phases")) {
    phases.push_back(phase.at("phase"));
    EXPECT_EQ(phase.at("state").at("rows"), 50);
    EXPECT_GT(phase.at("query_p50_us").get<double>(), 0);
    EXPECT_EQ(phase.contains("maintenance"), phases.size() > 2);
  }
  EXPECT_EQ(phases, (std::vector<std::string>{"loaded", "settled", "analyze", "compact", "reindex"}));
}

TEST_F(BenchCommandTest, EmbedMeasuresTheEmbedderInForce) {
  const Json report = json({"bench", "embed", "--embedder", "hash", "--texts", "2"});
  EXPECT_EQ(report.at("model"), "hash-384");
  ASSERT_EQ(report.at("paths").size(), 1U);
  for (const char* name : {"tokens_per_second", "query_ms", "first_query_ms"})
    EXPECT_GT(report.at("paths").at(0).at(name).get<double>(), 0) << name;
  EXPECT_GT(report.at("new_process_ms").get<double>(), 0);
  expect_failure({"bench", "embed", "--embedder", "none"}, 2, "name one with --embedder");
}

TEST_F(BenchCommandTest, SearchSaysWhereTheTimeGoes) {
  const Json report = json({"bench", "search", "--records", "200", "--embedder", "hash"});
  EXPECT_EQ(report.at("records"), 200);
  for (const char* stage : {"embed", "words", "vectors", "fetch", "rest", "all but embed", "total"}) {
    EXPECT_GT(report.at("stages").at(stage).at("p50_ms").get<double>(), 0) << stage;
    EXPECT_GE(report.at("stages").at(stage).at("p99_ms"), report.at("stages").at(stage).at("p50_ms")) << stage;
  }
  EXPECT_GT(report.at("new_process_ms").get<double>(), 0);
  EXPECT_EQ(json({"bench", "search", "--records", "50", "--embedder", "none"}).at("stages").at("embed").at("p50_ms"),
            0);
}

TEST_F(BenchCommandTest, SaysWhatIsWrongWithTheFiles) {
  write_rows("base.f32", 3);
  write(folder() / "nan.f32", std::string("\0\0\xc0\x7f\0\0\0\0", 8));
  const auto run = [&](const std::string& base, const std::string& dim) {
    return std::vector<std::string>{"bench", "vectors", "--base", base, "--queries", "base.f32", "--dim", dim};
  };
  expect_failure(run("base.f32", "5"), 2, "no whole rows of 5 float32");
  expect_failure(run("nan.f32", "2"), 2, "NaN or an infinity in row 0");
  expect_failure(run("none.f32", "2"), 3, "none.f32");
  expect_failure({"bench", "vectors", "--dim", "2"}, 2, "needs --base");
  expect_failure({"bench", "vectors", "--base", "base.f32", "--queries", "base.f32"}, 2, "needs --dim");
  std::vector<std::string> all = run("base.f32", "2");
  all.insert(all.end(), {"--filter-fraction", "0"});
  expect_failure(all, 2, "above 0");
}

}  // namespace
}  // namespace loci::end_to_end
