// What becomes of each line of an import.
#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/transfer/fixture.h"
#include "tests/transfer/generated_records.h"
#include "tests/transfer/interposed_backend.h"

namespace loci::transfer {
namespace {

constexpr ImportOutcome kStored = ImportOutcome::stored;
constexpr ImportOutcome kThere = ImportOutcome::already_there;
constexpr ImportOutcome kUpdated = ImportOutcome::updated;
constexpr ImportOutcome kRefused = ImportOutcome::refused;

std::string plain(const std::string& id, const std::string& document = "text") {
  return R"({"id":")" + id + R"(","document":")" + document + "\"}\n";
}

std::string with_vector(const std::string& id, const std::string& vector, const std::string& loci = "{}") {
  return R"({"id":")" + id + R"(","document":"text","embedding":)" + vector + R"(,"loci":)" + loci + "}\n";
}

std::string with_key(const std::string& id, const std::string& source, const std::string& document = "text") {
  return R"({"id":")" + id + R"(","document":")" + document + R"(","loci":{"key":{"source":")" + source +
         R"(","content_hash":")" + std::string(64, 'a') + R"(","occurrence":0}}})" + "\n";
}

class ImportTest : public TransferTest {
 protected:
  std::vector<std::string> ids() {
    std::vector<std::string> ids;
    for (const Record& record : records_of(target_, "drawers")) ids.push_back(record.id);
    return ids;
  }
  std::string document_of(const std::string& id) {
    for (const Record& record : records_of(target_, "drawers")) {
      if (record.id == id) return record.document;
    }
    return "there is no record " + id;
  }
};

TEST_P(ImportTest, LinesOfOtherProgramsNeedOnlyIdAndDocument) {
  const ImportReport report = imported(plain("a") + "\n\r\n" + plain("b"));
  EXPECT_EQ(report.lines, 2U);
  EXPECT_EQ(report.stored, 2U);
  EXPECT_EQ(outcomes_, (std::vector<LineOutcome>{{1, kStored, "a", "a"}, {4, kStored, "b", "b"}}));
  EXPECT_EQ(ids(), (std::vector<std::string>{"a", "b"}));
}

TEST_P(ImportTest, ALineNamesItsCollection) {
  request_.default_collection = "other";
  imported(R"({"collection":"c","id":"a","document":""})"
           "\n" +
           plain("b"));
  EXPECT_EQ(records_of(target_, "c").size(), 1U);
  EXPECT_EQ(records_of(target_, "other").size(), 1U);
}

TEST_P(ImportTest, AnImportWithoutARecordCreatesNothing) {
  EXPECT_EQ(imported("").lines, 0U);
  EXPECT_EQ(imported("nonsense\n{}\n" + with_vector("a", "[0,0]")).refused, 3U);
  EXPECT_FALSE(std::filesystem::exists(*target_.local_path));
}

TEST_P(ImportTest, BadLinesAreRefusedByNumberAndTheOthersStored) {
  const std::string bad[] = {"not json",
                             "{\"id\":\"x\",\"document\":\"\xff\"}",
                             R"({"id":"x","document":"\ud800"})",
                             R"({"id":"x","document":"a\u0000b"})",
                             R"({"id":"x","document":7})",
                             R"({"id":"x","document":"","metadata":{"k":{"deep":1}}})",
                             R"({"id":"x","document":"","embedding":[NaN]})",
                             R"({"id":"x","document":"","embedding":[0,0]})",
                             R"({"id":"x","document":"","embedding":[]})",
                             R"({"id":"","document":""})",
                             R"({"id":")" + std::string(1025, 'x') + R"(","document":""})",
                             R"({"collection":"\n","id":"x","document":""})",
                             R"({"id":"x","document":"","loci":{"use_count":-1}})",
                             R"({"id":"x","document":"")"};
  std::string text;
  for (const std::string& line : bad) text += plain("good " + std::to_string(text.size())) + line + "\n";
  const ImportReport report = imported(text);
  EXPECT_EQ(report.stored, std::size(bad));
  EXPECT_EQ(report.refused, std::size(bad));
  ASSERT_EQ(outcomes_.size(), 2 * std::size(bad));
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    EXPECT_EQ(outcomes_[i].line, i + 1);
    EXPECT_EQ(outcomes_[i].outcome, i % 2 == 0 ? kStored : kRefused) << bad[i / 2];
    EXPECT_EQ(outcomes_[i].reason.empty(), i % 2 == 0) << bad[i / 2];
  }
}

TEST_P(ImportTest, ALineWithoutEndIsRefusedInBoundedMemory) {
  // 500 MB that are never there as a whole.
  struct LongLine : std::streambuf {
    std::string block = std::string(1 << 20, 'x');
    int blocks = 500;
    bool has_ended = false;
    int_type underflow() override {
      if (has_ended) return traits_type::eof();
      if (blocks-- == 0) {
        block = "\n" + plain("b");
        has_ended = true;
      }
      setg(block.data(), block.data(), block.data() + block.size());
      return traits_type::to_int_type(block.front());
    }
  } buffer;
  std::istream input(&buffer);
  const Result<ImportReport> report = import_lines(*backend_, request_, input);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->refused, 1U);
  EXPECT_EQ(report->stored, 1U);
}

TEST_P(ImportTest, SkipLeavesWhatIsThere) {
  imported(plain("a", "old") + with_key("k", "s", "old"));
  const ImportReport report = imported(plain("a", "new") + with_key("other", "s", "new") + plain("b", "old"));
  EXPECT_EQ(report.already_there, 2U);
  EXPECT_EQ(report.stored, 1U);
  EXPECT_EQ(outcomes_,
            (std::vector<LineOutcome>{{1, kThere, "a", "a"}, {2, kThere, "other", "k"}, {3, kStored, "b", "b"}}));
  EXPECT_EQ(document_of("a"), "old");
  EXPECT_EQ(document_of("k"), "old");
  EXPECT_EQ(document_of("b"), "old");
}

TEST_P(ImportTest, UpdateTakesOverWhatTheLineHas) {
  imported(plain("a", "old") + with_key("k", "s", "old"));
  request_.on_conflict = OnConflict::update;
  const ImportReport report = imported(plain("a", "new") + with_key("other", "s", "new") + plain("b"));
  EXPECT_EQ(report.updated, 2U);
  EXPECT_EQ(report.stored, 1U);
  EXPECT_EQ(outcomes_,
            (std::vector<LineOutcome>{{1, kUpdated, "a", "a"}, {2, kUpdated, "other", "k"}, {3, kStored, "b", "b"}}));
  EXPECT_EQ(document_of("a"), "new");
  EXPECT_EQ(document_of("k"), "new");
  EXPECT_EQ(ids(), (std::vector<std::string>{"a", "k", "b"}));
}

TEST_P(ImportTest, UpdateKeepsTheDetailsThatTheLineDoesNotHave) {
  const std::string key = R"("key":{"source":"s","content_hash":")" + std::string(64, 'a') + R"(","occurrence":0})";
  const auto line = [&](const std::string& id, const std::string& details) {
    return R"({"id":")" + id + R"(","document":"x","loci":{)" + key + details + "}}\n";
  };
  imported(line("a", R"(,"links":[{"kind":"see","target_id":"b"}],"use_count":7,"created_at":5,"updated_at":6)"));
  const auto details = [&] { return records_of(target_, "drawers").at(0).details.value(); };
  request_.on_conflict = OnConflict::update;

  EXPECT_EQ(imported(line("a", "")).updated, 1U);
  EXPECT_EQ(details().use_count, 7);
  EXPECT_EQ(details().links.size(), 1U);
  EXPECT_EQ(details().created_at, 5);

  EXPECT_EQ(imported(line("under another id", R"(,"use_count":8)")).updated, 1U);
  EXPECT_EQ(details().use_count, 8);
  EXPECT_EQ(details().links.size(), 1U);
  EXPECT_EQ(details().created_at, 5);

  EXPECT_EQ(imported(line("a", R"(,"links":[])")).updated, 1U);
  EXPECT_EQ(details().use_count, 8);
  EXPECT_TRUE(details().links.empty());
}

TEST_P(ImportTest, AnInterruptedImportSaysWhatIsStored) {
  std::string lines;
  for (int i = 0; i < 2500; ++i) lines += plain(std::to_string(i));
  std::istringstream input(lines);
  const Result<ImportReport> report = import_lines(*backend_, request_, input, {.is_cancelled = [] { return true; }});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::unavailable);
  EXPECT_NE(report.error().message.find("interrupted; the import stopped before line 1001, 1000 records are stored"),
            std::string::npos)
      << report.error().message;
  EXPECT_EQ(ids().size(), 1000U);
}

TEST_P(ImportTest, DuplicateStoresTheLineAsWell) {
  imported(plain("a", "old") + with_key("k", "s", "old"));
  request_.on_conflict = OnConflict::duplicate;
  const std::string lines =
      plain("a", "new") + with_key("k", "s", "new") + with_key("other", "s", "third") + plain("b");
  EXPECT_EQ(imported(lines).stored, 4U);
  ASSERT_EQ(outcomes_.size(), 4U);
  EXPECT_EQ(outcomes_[0].id, "a");
  EXPECT_TRUE(outcomes_[0].stored_id.starts_with("a~"));
  EXPECT_TRUE(outcomes_[1].stored_id.starts_with("k~"));
  EXPECT_TRUE(outcomes_[2].stored_id.starts_with("other~"));
  EXPECT_EQ(outcomes_[3].stored_id, "b");
  EXPECT_EQ(document_of("a"), "old");
  EXPECT_EQ(document_of(outcomes_[0].stored_id), "new");
  EXPECT_EQ(document_of(outcomes_[2].stored_id), "third");
  for (const Record& record : records_of(target_, "drawers")) {
    EXPECT_EQ(record.details && record.details->key, record.id == "k") << record.id;
  }
}

TEST_P(ImportTest, ADuplicateIsMadeOnce) {
  imported(plain("a", "old"));
  request_.on_conflict = OnConflict::duplicate;
  EXPECT_EQ(imported(plain("a", "new")).stored, 1U);
  const std::string made = outcomes_.front().stored_id;
  EXPECT_EQ(imported(plain("a", "new")).already_there, 1U);
  EXPECT_EQ(outcomes_.front().stored_id, made);
  EXPECT_EQ(ids().size(), 2U);
}

TEST_P(ImportTest, ADuplicateOfTheLongestIdStillFits) {
  std::string id(1023, 'x');
  id.replace(1000, 2, "ł");
  imported(plain(id, "old"));
  request_.on_conflict = OnConflict::duplicate;
  EXPECT_EQ(imported(plain(id, "new")).stored, 1U);
  EXPECT_LE(outcomes_.front().stored_id.size(), 1024U);
}

TEST_P(ImportTest, FailStoresNothing) {
  imported(plain("a") + with_key("k", "s"));
  request_.on_conflict = OnConflict::fail;
  const std::string before = exported(target_);
  for (const std::string& conflict : {plain("a"), with_key("other", "s"), plain("n"), with_key("m", "t")}) {
    const Result<ImportReport> report = import(plain("n") + with_key("l", "t") + conflict + plain("o"));
    ASSERT_FALSE(report.ok()) << conflict;
    EXPECT_EQ(report.error().kind, ErrorKind::already_exists);
    EXPECT_NE(report.error().message.find("line 3"), std::string::npos) << report.error().message;
    EXPECT_EQ(exported(target_), before);
  }
  EXPECT_EQ(imported(plain("n") + "bad\n" + with_key("l", "t")).stored, 2U);
}

TEST_P(ImportTest, FailIntoANewPalaceCreatesNothingOnAConflict) {
  request_.on_conflict = OnConflict::fail;
  EXPECT_FALSE(import(plain("a") + plain("a")).ok());
  EXPECT_FALSE(std::filesystem::exists(*target_.local_path));
}

TEST_P(ImportTest, FailNeedsAnInputThatCanBeReadTwice) {
  struct Pipe : std::streambuf {
  } buffer;
  std::istream input(&buffer);
  request_.on_conflict = OnConflict::fail;
  EXPECT_EQ(import_lines(*backend_, request_, input).error().kind, ErrorKind::invalid_argument);
}

TEST_P(ImportTest, AnEarlierLineIsAConflictToo) {
  const std::string lines =
      plain("a", "one") + plain("a", "two") + with_key("k", "s", "one") + with_key("l", "s", "two");
  EXPECT_EQ(imported(lines).stored, 2U);
  EXPECT_EQ(outcomes_,
            (std::vector<LineOutcome>{
                {1, kStored, "a", "a"}, {2, kThere, "a", "a"}, {3, kStored, "k", "k"}, {4, kThere, "l", "k"}}));
  request_.palace = target_ = palace("updated");
  request_.on_conflict = OnConflict::update;
  imported(lines);
  EXPECT_EQ(outcomes_,
            (std::vector<LineOutcome>{
                {1, kStored, "a", "a"}, {2, kUpdated, "a", "a"}, {3, kStored, "k", "k"}, {4, kUpdated, "l", "k"}}));
  EXPECT_EQ(document_of("a"), "two");
  EXPECT_EQ(document_of("k"), "two");
}

TEST_P(ImportTest, EqualTextElsewhereIsNoConflict) {
  EXPECT_EQ(imported(plain("a", "same") + plain("b", "same") + with_key("c", "s", "same") + with_key("d", "t", "same"))
                .stored,
            4U);
}

TEST_P(ImportTest, AModelThatNobodyNamesStaysUnknown) {
  imported(with_vector("a", "[1,2,3]"));
  EXPECT_EQ(info_of(target_, "drawers").model, "");
  EXPECT_EQ(info_of(target_, "drawers").dimension, 3U);
}

TEST_P(ImportTest, ALineOrTheCallerNamesTheModel) {
  imported(with_vector("a", "[1,2,3]", R"({"model":"m","dimension":3})"));
  EXPECT_EQ(info_of(target_, "drawers").model, "m");
  request_.palace = target_ = palace("second");
  request_.source_model = "n";
  imported(plain("text only"));
  EXPECT_EQ(info_of(target_, "drawers").model, "");
  imported(with_vector("a", "[1,2]"));
  EXPECT_EQ(info_of(target_, "drawers").model, "n");
}

TEST_P(ImportTest, VectorsOfAnotherModelOrDimensionAreRefused) {
  imported(with_vector("a", "[1,2]", R"({"model":"m"})"));
  const ImportReport report =
      imported(with_vector("b", "[1,2]", R"({"model":"n"})") + with_vector("c", "[1,2,3]") + with_vector("d", "[1,2]"));
  EXPECT_EQ(report.refused, 2U);
  EXPECT_EQ(report.stored, 1U);
  EXPECT_NE(outcomes_[0].reason.find("\"n\""), std::string::npos) << outcomes_[0].reason;
  EXPECT_NE(outcomes_[1].reason.find("3"), std::string::npos) << outcomes_[1].reason;
  EXPECT_EQ(info_of(target_, "drawers").model, "m");
}

TEST_P(ImportTest, AModelIsNotTakenUpOverVectorsOfAnUnknownOne) {
  imported(with_vector("a", "[1,2]"));
  EXPECT_EQ(imported(with_vector("b", "[1,2]", R"({"model":"m"})")).stored, 1U);
  EXPECT_EQ(info_of(target_, "drawers").model, "");
}

TEST_P(ImportTest, AKilledImportIsCompletedByTheNext) {
  fill(palace("source"), "drawers", RecordGenerator(11).records(2500, 2));
  ASSERT_TRUE(backend_->set_embedder(palace("source"), "drawers", "m", 2, ModelSwap::refuse).ok());
  const std::string lines = exported(palace("source"));
  // A kill leaves whole batches.
  std::size_t cut = 0;
  for (int i = 0; i < 1000; ++i) cut = lines.find('\n', cut) + 1;
  imported(lines.substr(0, cut));
  const ImportReport report = imported(lines);
  EXPECT_EQ(report.already_there, 1000U);
  EXPECT_EQ(report.stored, 1500U);
  EXPECT_EQ(exported(target_), lines);
}

TEST_P(ImportTest, LinksAreOrderedAndTimesFilledIn) {
  imported(
      R"({"id":"a","document":"","loci":{"links":[{"kind":"z","target_id":"1"},{"kind":"a","target_id":"2"},{"kind":"z","target_id":"1"}]}})");
  const std::vector<Record> records = records_of(target_, "drawers");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].details->links, (std::vector<Link>{{"a", "2"}, {"z", "1"}}));
  EXPECT_GT(records[0].details->created_at, 0);
  EXPECT_EQ(records[0].details->updated_at, records[0].details->created_at);
}

TEST_P(ImportTest, ProgressIsToldAfterEachBatch) {
  std::string lines;
  for (int i = 0; i < 2500; ++i) lines += plain(std::to_string(i));
  std::istringstream input(lines);
  std::vector<std::size_t> done;
  const Result<ImportReport> report = import_lines(
      *backend_, request_, input, {.progress = [&](const ImportReport& so_far) { done.push_back(so_far.stored); }});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(done, (std::vector<std::size_t>{1000, 2000, 2500}));
}

TEST_P(ImportTest, ARecordThatTheBackendAloneRefusesIsFound) {
  const auto picky = interpose(*backend_, [](std::span<const Record> records) -> Status {
    for (const Record& record : records) {
      if (record.document == "odd") return Error{ErrorKind::invalid_argument, "an odd record"};
    }
    return ok_status();
  });
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += plain(std::to_string(i), i == 37 || i == 99 ? "odd" : "even");
  for (const OnConflict mode : {OnConflict::skip, OnConflict::update, OnConflict::duplicate}) {
    request_.on_conflict = mode;
    const Result<ImportReport> report = import(*picky, lines);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->refused, 2U);
    EXPECT_EQ(outcomes_[37].reason, "an odd record");
    EXPECT_EQ(outcomes_[99].outcome, kRefused);
  }
}

TEST_P(ImportTest, AFailureOfTheStoreStopsTheImportAndSaysWhere) {
  const auto full = interpose(*backend_, [](std::span<const Record> records) -> Status {
    if (records.front().id == "1000") return Error{ErrorKind::io, "the disk is full"};
    return ok_status();
  });
  std::string lines;
  for (int i = 0; i < 1500; ++i) lines += plain(std::to_string(i));
  const Result<ImportReport> report = import(*full, lines);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::io);
  EXPECT_NE(
      report.error().message.find("the disk is full; the import stopped before line 1001, 1000 records are stored"),
      std::string::npos)
      << report.error().message;
  EXPECT_EQ(outcomes_.size(), 1000U);
}

TEST_P(ImportTest, AWriterInBetweenIsNoFailure) {
  imported(plain("first"));
  bool has_met = false;
  const auto raced = interpose(*backend_, [&](std::span<const Record>) -> Status {
    if (!std::exchange(has_met, true)) fill(target_, "drawers", {{.id = "a", .document = "theirs"}});
    return ok_status();
  });
  const Result<ImportReport> report = import(*raced, plain("a", "ours") + plain("b"));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(outcomes_, (std::vector<LineOutcome>{{1, kThere, "a", "a"}, {2, kStored, "b", "b"}}));
  EXPECT_EQ(document_of("a"), "theirs");
}

TEST_P(ImportTest, FailSaysSoWhenAnotherWriterComesInBetween) {
  imported(plain("first"));
  request_.on_conflict = OnConflict::fail;
  const auto raced = interpose(*backend_, [&](std::span<const Record> records) -> Status {
    if (records.size() == 2) fill(target_, "drawers", {{.id = "b", .document = "theirs"}});
    return ok_status();
  });
  const Result<ImportReport> report = import(*raced, plain("a") + plain("b"));
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::already_exists);
  EXPECT_NE(report.error().message.find("another process"), std::string::npos) << report.error().message;
}

TEST_P(ImportTest, ARequestThatMakesNoSenseIsRefused) {
  request_.default_collection = "";
  EXPECT_EQ(import(plain("a")).error().kind, ErrorKind::invalid_argument);
  request_.default_collection = "drawers";
  request_.source_model = "";
  EXPECT_EQ(import(plain("a")).error().kind, ErrorKind::invalid_argument);
  request_.source_model.reset();
  std::istringstream closed;
  closed.setstate(std::ios::failbit);
  EXPECT_EQ(import_lines(*backend_, request_, closed).error().kind, ErrorKind::io);
}

INSTANTIATE_TEST_SUITE_P(Backends, ImportTest, testing::Values("memory", "embedded"),
                         [](const auto& backend) { return backend.param; });

TEST(OnConflictTest, HasTheFourNames) {
  EXPECT_EQ(parse_on_conflict("skip"), OnConflict::skip);
  EXPECT_EQ(parse_on_conflict("update"), OnConflict::update);
  EXPECT_EQ(parse_on_conflict("duplicate"), OnConflict::duplicate);
  EXPECT_EQ(parse_on_conflict("fail"), OnConflict::fail);
  EXPECT_EQ(parse_on_conflict("other"), std::nullopt);
}

}  // namespace
}  // namespace loci::transfer
