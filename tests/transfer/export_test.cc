// A palace as lines, and back: nothing is lost and nothing is made up.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/transfer/fixture.h"
#include "tests/transfer/generated_records.h"

namespace loci::transfer {
namespace {

class ExportTest : public TransferTest {};

TEST_P(ExportTest, AnImportedExportIsAnEqualPalace) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecordGenerator generator(seed);
    const PalaceRef source = palace("source" + std::to_string(seed));
    fill(source, "words", generator.records(300, 3), DistanceMetric::l2);
    fill(source, "ärger 🐢", generator.records(100, 5), DistanceMetric::ip);
    fill(source, "drawers", generator.records(1200, 2));
    ASSERT_TRUE(backend_->set_embedder(source, "drawers", "some model", 2, ModelSwap::refuse).ok());

    const std::string lines = exported(source);
    EXPECT_EQ(exported(source), lines);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1600);
    request_.palace = palace("copy" + std::to_string(seed));
    const ImportReport report = imported(lines);
    EXPECT_EQ(report.stored, 1600U);
    EXPECT_EQ(report.lines, 1600U);
    EXPECT_EQ(report.bytes, lines.size());
    EXPECT_EQ(exported(request_.palace), lines);
    for (const char* name : {"drawers", "words", "ärger 🐢"}) {
      EXPECT_EQ(records_of(request_.palace, name), records_of(source, name)) << name;
      EXPECT_EQ(info_of(request_.palace, name).metric, info_of(source, name).metric) << name;
      EXPECT_EQ(info_of(request_.palace, name).model, info_of(source, name).model) << name;
    }
  }
}

TEST_P(ExportTest, WithoutVectorsTheTextsAreTheSame) {
  fill(target_, "drawers", RecordGenerator(7).records(50, 3));
  const std::string lines = exported(target_, ExportVectors::leave_out);
  EXPECT_EQ(lines.find("\"embedding\""), std::string::npos);
  EXPECT_EQ(lines.find("\"model\""), std::string::npos);
  request_.palace = palace("copy");
  imported(lines);
  EXPECT_EQ(exported(request_.palace, ExportVectors::leave_out), lines);
  EXPECT_EQ(info_of(request_.palace, "drawers").pending, 50U);
}

TEST_P(ExportTest, CollectionsComeByNameAndRecordsAsTheyWereStored) {
  fill(target_, "b", {{.id = "2", .document = "x"}, {.id = "1", .document = "y"}});
  fill(target_, "a", {{.id = "3", .document = "z"}});
  const std::string lines = exported(target_);
  const std::size_t first = lines.find("\"id\":\"3\"");
  const std::size_t second = lines.find("\"id\":\"2\"");
  const std::size_t third = lines.find("\"id\":\"1\"");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(third, std::string::npos);
}

TEST_P(ExportTest, OneCollectionAloneCanBeExported) {
  fill(target_, "a", {{.id = "1", .document = "x"}});
  fill(target_, "b", {{.id = "2", .document = "y", .embedding = Embedding{1, 0}}});
  std::string lines;
  std::vector<ExportProgress> progress;
  const Result<ExportReport> report = export_lines(
      *backend_, {.palace = target_, .collection = "a", .vectors = ExportVectors::include},
      [&](std::string_view text) {
        lines += text;
        return ok_status();
      },
      [&](const ExportProgress& step) { progress.push_back(step); });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->records, 1U);
  EXPECT_EQ(report->collections, 1U);
  EXPECT_EQ(report->without_vector, 1U);
  EXPECT_EQ(report->bytes, lines.size());
  EXPECT_EQ(lines.find("\"id\":\"2\""), std::string::npos);
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.back().records, 1U);
  EXPECT_EQ(progress.back().total, 1U);
}

TEST_P(ExportTest, WhatIsMissingIsAnErrorAndIsNotCreated) {
  const LineSink sink = [](std::string_view) { return ok_status(); };
  EXPECT_EQ(export_lines(*backend_, {.palace = target_}, sink).error().kind, ErrorKind::palace_not_found);
  EXPECT_FALSE(std::filesystem::exists(*target_.local_path));
  fill(target_, "a", {});
  EXPECT_EQ(export_lines(*backend_, {.palace = target_, .collection = "b"}, sink).error().kind,
            ErrorKind::collection_not_initialized);
}

TEST_P(ExportTest, AnErrorOfTheSinkEndsTheExport) {
  fill(target_, "a", {{.id = "1", .document = "x"}});
  const auto full = [](std::string_view) -> Status { return Error{ErrorKind::io, "the disk is full"}; };
  const Result<ExportReport> report = export_lines(*backend_, {.palace = target_}, full);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "the disk is full");
}

INSTANTIATE_TEST_SUITE_P(Backends, ExportTest, testing::Values("memory", "embedded"),
                         [](const auto& backend) { return backend.param; });

}  // namespace
}  // namespace loci::transfer
