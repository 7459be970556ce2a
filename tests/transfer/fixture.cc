#include "tests/transfer/fixture.h"

#include <sstream>

#include "store/embedded/embedded_backend.h"
#include "tests/conformance/memory_backend.h"

namespace loci::transfer {

std::ostream& operator<<(std::ostream& out, const LineOutcome& outcome) {
  return out << outcome.line << ' ' << to_string(outcome.outcome) << ' ' << outcome.id << " as " << outcome.stored_id
             << ' ' << outcome.reason;
}

void TransferTest::SetUp() {
  backend_ = GetParam() == "memory" ? conformance::make_memory_backend(conformance::make_memory_disk())
                                    : make_embedded_backend();
  target_ = palace("target");
  request_.palace = target_;
}

void TransferTest::fill(const PalaceRef& palace, std::string_view collection, const std::vector<Record>& records,
                        DistanceMetric metric) {
  const Result<std::shared_ptr<Collection>> opened = backend_->collection(
      palace, collection, {.if_missing = IfMissing::create, .metric = metric, .embed_text = EmbedText::later});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const Result<std::vector<Written>> written = (*opened)->add(records);
  ASSERT_TRUE(written.ok()) << written.error().message;
}

std::vector<Record> TransferTest::records_of(const PalaceRef& palace, std::string_view collection) {
  const Result<std::shared_ptr<Collection>> opened = backend_->collection(palace, collection, {});
  EXPECT_TRUE(opened.ok());
  if (!opened.ok()) return {};
  const Result<std::vector<Record>> records = (*opened)->get({.include = {.embeddings = true, .details = true}});
  EXPECT_TRUE(records.ok());
  return records.ok() ? *records : std::vector<Record>();
}

CollectionInfo TransferTest::info_of(const PalaceRef& palace, std::string_view collection) {
  const Result<std::shared_ptr<Collection>> opened = backend_->collection(palace, collection, {});
  EXPECT_TRUE(opened.ok());
  return opened.ok() ? *(*opened)->info() : CollectionInfo{};
}

std::string TransferTest::exported(const PalaceRef& palace, ExportVectors vectors) {
  std::string text;
  const auto append = [&](std::string_view lines) {
    text += lines;
    return ok_status();
  };
  const Result<ExportReport> report = export_lines(*backend_, {.palace = palace, .vectors = vectors}, append);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return text;
}

Result<ImportReport> TransferTest::import(Backend& backend, const std::string& text) {
  std::istringstream input(text);
  outcomes_.clear();
  const ImportObserver observer{.line = [&](const ImportedLine& line) {
    outcomes_.push_back(
        {line.line, line.outcome, std::string(line.id), std::string(line.stored_id), std::string(line.reason)});
  }};
  return import_lines(backend, request_, input, observer);
}

Result<ImportReport> TransferTest::import(const std::string& text) { return import(*backend_, text); }

ImportReport TransferTest::imported(const std::string& text) {
  const Result<ImportReport> report = import(text);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? *report : ImportReport{};
}

}  // namespace loci::transfer
