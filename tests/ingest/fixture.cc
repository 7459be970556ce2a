#include "tests/ingest/fixture.h"

#include <algorithm>
#include <fstream>

#include "base/clock.h"
#include "store/embedded/embedded_backend.h"

namespace loci::mining {

void MiningTest::SetUp() {
  std::filesystem::create_directories(project());
  backend_ = make_embedded_backend();
  const auto opened =
      backend_->collection(PalaceRef::at(folder_.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  drawers_ = *opened;
}

void MiningTest::write(std::string_view name, std::string_view content) const {
  const std::filesystem::path path = project() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

MineReport MiningTest::mine_project(MineRequest request) {
  if (request.path.empty()) request.path = project();
  request.now_unix_ms = now_unix_ms();
  const Result<MineReport> report =
      mine(drawers_.get(), request, {.progress = [](const MineProgress&) {}, .is_cancelled = [] { return false; }});
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? *report : MineReport{};
}

SyncReport MiningTest::sync(SyncRequest request) {
  if (request.path.empty()) request.path = project();
  const Result<SyncReport> report = sync_sources(*drawers_, request, [] { return false; });
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? *report : SyncReport{};
}

std::vector<Record> MiningTest::of_source(std::string_view name) const {
  const Filter where = Filter::of({.key = "source_file", .op = FilterOperator::eq, .operands = {path_of(name)}});
  std::vector<Record> records = *drawers_->get({.selection = {.where = where}});
  const auto start = [](const Record& record) { return std::get<std::int64_t>(record.metadata.at("byte_start")); };
  std::sort(records.begin(), records.end(), [&](const Record& a, const Record& b) { return start(a) < start(b); });
  return records;
}

std::string MiningTest::text_of(std::string_view name) const {
  std::string text;
  for (const Record& record : of_source(name)) text += record.document;
  return text;
}

std::map<std::string, std::string> MiningTest::all() const {
  std::map<std::string, std::string> texts;
  for (const Record& record : *drawers_->get({})) texts.emplace(record.id, record.document);
  return texts;
}

std::string paragraphs(int count, std::string_view topic) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "Paragraph " + std::to_string(i) + " is about " + std::string(topic) + ".";
    for (int j = 0; j < 12; ++j) text += " It says thing " + std::to_string(i * 31 + j) + " in a sentence of its own.";
    text += "\n\n";
  }
  return text;
}

}  // namespace loci::mining
