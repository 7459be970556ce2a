#include "loci/upkeep.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/embedded/backup.h"
#include "store/embedded/salvage.h"
#include "store/embedded/test_palace.h"
#include "store/embedded/verify.h"
#include "store/palace_files.h"

namespace loci::embedded {
namespace {

constexpr int kRecords = 300;

class UpkeepTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<Record> records;
    for (int i = 0; i < kRecords; ++i) {
      Record made = i % 3 == 0 ? ingested(id(i), text(i), "/source-" + std::to_string(i % 9)) : record(id(i), text(i));
      made.metadata = {{"number", i}, {"wing", "w" + std::to_string(i % 2)}};
      if (i % 5 != 0) made.embedding = Embedding{static_cast<float>(i + 1), 1};
      records.push_back(std::move(made));
    }
    ASSERT_TRUE(palace_.drawers()->add(records).ok());
    palace_.reopen();
  }

  static std::string id(int i) { return "record-" + std::to_string(i); }
  static std::string text(int i) {
    return "text number " + std::to_string(i) + " " + std::string(static_cast<std::size_t>(i * 7), 'x');
  }

  VerifyReport verify(VerifyDepth depth = VerifyDepth::deep) {
    const auto report = palace_.backend().upkeep()->verify(palace_.ref(), depth);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? *report : VerifyReport{};
  }
  std::filesystem::path beside(const std::string& name) const { return palace_.folder().parent_path() / name; }
  std::vector<std::string> names_beside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(beside(""))) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  TestPalace palace_;
};

TEST_F(UpkeepTest, ASoundPalaceHasNoFindings) {
  for (const VerifyDepth depth : {VerifyDepth::quick, VerifyDepth::deep}) {
    const VerifyReport report = verify(depth);
    EXPECT_EQ(report.findings, std::vector<Finding>());
    EXPECT_FALSE(report.checked.empty());
    EXPECT_EQ(report.records, static_cast<std::size_t>(kRecords));
    EXPECT_EQ(report.pending, static_cast<std::size_t>(kRecords / 5)) << "waiting is no finding";
  }
}

TEST_F(UpkeepTest, EveryKindOfDisagreementIsFound) {
  const std::vector<std::pair<std::string, std::string>> damages = {
      {"texts", "DELETE FROM documents WHERE row = 3"},
      {"texts", "UPDATE documents SET text = text || '!' WHERE row = 4"},
      {"vectors", "DELETE FROM vectors WHERE row = 2"},
      {"vectors", "UPDATE vectors SET embedding = x'00' WHERE row = 2"},
      {"metadata", "UPDATE records SET metadata = x'ff' WHERE row = 5"},
      {"words", "DELETE FROM words_1 WHERE rowid = 7"},
      {"words", "DELETE FROM words_1 WHERE rowid = 8; INSERT INTO words_1(rowid, text) VALUES (8, 'other words')"},
      {"words", "INSERT INTO words_1(rowid, text) VALUES (999999, 'a ghost')"},
      {"indexes", "DROP INDEX records_by_place"},
      {"changes", "UPDATE palace SET value = 0 WHERE key = 'seq'"},
      {"changes", "UPDATE sqlite_sequence SET seq = seq + (1 << 40) WHERE name = 'records'"},
  };
  for (const auto& [expected_check, sql] : damages) {
    const std::string& check = expected_check;  // a lambda cannot take a part of a pair
    TestPalace broken;
    std::filesystem::copy(palace_.folder(), broken.folder(), std::filesystem::copy_options::recursive);
    broken.execute(sql);
    const auto report = broken.backend().upkeep()->verify(broken.ref(), VerifyDepth::deep);
    ASSERT_TRUE(report.ok()) << sql;
    const bool found = std::any_of(report->findings.begin(), report->findings.end(),
                                   [&](const Finding& finding) { return finding.check == check; });
    EXPECT_TRUE(found) << sql;
    for (const Finding& finding : report->findings) EXPECT_FALSE(finding.fix.empty()) << finding.detail;
  }
}

TEST_F(UpkeepTest, VerifyChangesNothing) {
  palace_.execute("DROP INDEX records_by_key");
  const std::string before = *read_file(palace_.file());
  EXPECT_FALSE(verify().findings.empty());
  EXPECT_EQ(*read_file(palace_.file()), before);
}

// One transaction for each of ten records, all of them in the log alone.
class LogTest : public UpkeepTest {
 protected:
  void SetUp() override {
    UpkeepTest::SetUp();
    writer_ = make_embedded_backend();
    const auto drawers = writer_->collection(palace_.ref(), "drawers", {});
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE((*drawers)->add(batch(record("late-" + std::to_string(i), "in the log"))).ok());
    std::filesystem::copy(palace_.folder(), beside("at-rest"));
    log_ = *read_file(beside("at-rest") / "palace.db-wal");
    ASSERT_GT(log_.size(), 20 * kFrame);
  }

  // What verify says of the log when it is this.
  std::vector<Finding> findings_of(const std::string& log) {
    EXPECT_TRUE(write_file_atomically(beside("at-rest") / "palace.db-wal", log).ok());
    const auto report = make_embedded_backend()->upkeep()->verify(PalaceRef::at(beside("at-rest")), VerifyDepth::quick);
    EXPECT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(*read_file(beside("at-rest") / "palace.db-wal"), log) << "verify changed the log";
    std::vector<Finding> in_log;
    for (const Finding& finding : report->findings) {
      if (finding.check == "log") in_log.push_back(finding);
    }
    return in_log;
  }
  static std::string flipped(std::string log, std::size_t at) {
    log[at] = static_cast<char>(log[at] ^ 4);
    return log;
  }

  static constexpr std::size_t kFrame = 8192 + 24;
  std::unique_ptr<Backend> writer_;
  std::string log_;
};

TEST_F(LogTest, ABitThatFlippedInAnOlderTransactionIsReported) {
  EXPECT_EQ(findings_of(log_), std::vector<Finding>());
  for (const std::size_t at : {std::size_t{18}, 32 + kFrame + 9, 32 + 2 * kFrame + 500, log_.size() / 2}) {
    const std::vector<Finding> found = findings_of(flipped(log_, at));
    ASSERT_EQ(found.size(), 1U) << "byte " << at;
    EXPECT_TRUE(found.front().needs_attention);
    EXPECT_NE(found.front().detail.find("palace.db-wal"), std::string::npos);
  }
}

TEST_F(LogTest, ATornLastTransactionIsNoDamage) {
  EXPECT_EQ(findings_of(flipped(log_, log_.size() - 100)), std::vector<Finding>());
  EXPECT_EQ(findings_of(log_.substr(0, log_.size() - 5000)), std::vector<Finding>());
  EXPECT_EQ(findings_of(log_.substr(0, 20)), std::vector<Finding>());
}

TEST_F(UpkeepTest, ABackupIsAnEqualPalaceWhileOthersWrite) {
  const auto writer = make_embedded_backend();
  const auto drawers = writer->collection(palace_.ref(), "drawers", {});
  ASSERT_TRUE((*drawers)->upsert(batch(record("in the log", "not yet in the file"))).ok());

  const auto backup = palace_.backend().upkeep()->backup(palace_.ref(), beside("backup.loci"));
  ASSERT_TRUE(backup.ok()) << backup.error().message;
  EXPECT_EQ(backup->records, static_cast<std::size_t>(kRecords + 1));
  ASSERT_TRUE((*drawers)->upsert(batch(record("later", "after the backup"))).ok());

  const PalaceRef restored = PalaceRef::at(beside("restored"));
  ASSERT_TRUE(palace_.backend().upkeep()->restore(beside("backup.loci"), restored).ok());
  const auto copy = palace_.backend().collection(restored, "drawers", {});
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  auto original = *(*drawers)->get({.include = {.embeddings = true, .details = true}});
  original.pop_back();  // the later one
  EXPECT_EQ(*(*copy)->get({.include = {.embeddings = true, .details = true}}), original);
  EXPECT_EQ((*copy)->match({.text = "number"})->size(), 10U);
  EXPECT_EQ(std::filesystem::status(beside("backup.loci")).permissions(), std::filesystem::perms(0600));
}

TEST_F(UpkeepTest, BackupAndRestoreReplaceNothing) {
  ASSERT_TRUE(write_file_atomically(beside("taken"), "mine").ok());
  EXPECT_EQ(palace_.backend().upkeep()->backup(palace_.ref(), beside("taken")).error().kind, ErrorKind::already_exists);
  EXPECT_EQ(*read_file(beside("taken")), "mine");
  ASSERT_TRUE(palace_.backend().upkeep()->backup(palace_.ref(), beside("backup.loci")).ok());
  EXPECT_EQ(palace_.backend().upkeep()->restore(beside("backup.loci"), palace_.ref()).error().kind,
            ErrorKind::already_exists);
}

// After a kill a log is left; the database alone was moved aside.
TEST_F(UpkeepTest, NoPalaceIsMadeBesideTheLogOfAnother) {
  ASSERT_TRUE(palace_.backend().upkeep()->backup(palace_.ref(), beside("backup.loci")).ok());
  for (const char* left : {"palace.db-wal", "palace.db-shm", "palace.db-journal"}) {
    const PalaceRef target = PalaceRef::at(beside("crashed"));
    std::filesystem::remove_all(*target.local_path);
    ASSERT_TRUE(make_private_folder(*target.local_path).ok());
    ASSERT_TRUE(write_file_atomically(*target.local_path / left, "pages of another database").ok());
    const auto restored = palace_.backend().upkeep()->restore(beside("backup.loci"), target);
    const auto made = palace_.backend().collection(target, "drawers", {.if_missing = IfMissing::create});
    for (const Status& refused : {Status(restored.error()), Status(made.error())}) {
      EXPECT_EQ(refused.error().kind, ErrorKind::already_exists);
      EXPECT_NE(refused.error().message.find(left), std::string::npos) << refused.error().message;
    }
    EXPECT_FALSE(std::filesystem::exists(*target.local_path / kDatabaseName));
    EXPECT_EQ(*read_file(*target.local_path / left), "pages of another database");
  }
}

TEST_F(UpkeepTest, ADamagedBackupIsRefusedAndLeavesNoPalace) {
  ASSERT_TRUE(palace_.backend().upkeep()->backup(palace_.ref(), beside("backup.loci")).ok());
  std::string content = *read_file(beside("backup.loci"));
  const std::size_t at = content.find("text number 299");
  ASSERT_NE(at, std::string::npos);
  content[at] = 'T';
  ASSERT_TRUE(write_file_atomically(beside("damaged.loci"), content).ok());
  ASSERT_TRUE(write_file_atomically(beside("cut.loci"), content.substr(0, content.size() / 2)).ok());
  for (const char* name : {"damaged.loci", "cut.loci"}) {
    const auto refused = palace_.backend().upkeep()->restore(beside(name), PalaceRef::at(beside("new")));
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::corruption) << refused.error().message;
    EXPECT_FALSE(std::filesystem::exists(beside("new"))) << "a folder was left behind";
  }
}

TEST_F(UpkeepTest, ABackupThatCannotBeWrittenIsNamed) {
  const auto refused = palace_.backend().upkeep()->backup(palace_.ref(), "/proc/backup.loci");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("/proc"), std::string::npos) << refused.error().message;
}

template <typename Report>
Status status_of(const Result<Report>& result) {
  return result.ok() ? Status() : Status(result.error());
}

// Cancels it at moments that lie evenly over the work; each time it must be as if nothing had been asked for.
TEST_F(UpkeepTest, WhatIsCancelledEndsSoonAndLeavesNothing) {
  Upkeep& upkeep = *palace_.backend().upkeep();
  ASSERT_TRUE(upkeep.backup(palace_.ref(), beside("backup.loci")).ok());
  const PalaceRef made = PalaceRef::at(beside("made"));
  const std::map<std::string, std::function<Status(const IsCancelled&)>> works = {
      {"verify",
       [&](const auto& is_cancelled) {
         return status_of(upkeep.verify(palace_.ref(), VerifyDepth::deep, is_cancelled));
       }},
      {"backup",
       [&](const auto& is_cancelled) { return status_of(upkeep.backup(palace_.ref(), beside("made"), is_cancelled)); }},
      {"restore",
       [&](const auto& is_cancelled) { return status_of(upkeep.restore(beside("backup.loci"), made, is_cancelled)); }},
      {"salvage",
       [&](const auto& is_cancelled) { return status_of(upkeep.salvage(palace_.ref(), made, is_cancelled)); }},
  };
  const std::vector<std::string> before = names_beside();
  for (const auto& [name, work] : works) {
    int questions = 0;
    ASSERT_TRUE(work([&] { return ++questions == 0; }).ok()) << name;
    std::filesystem::remove_all(beside("made"));
    ASSERT_GT(questions, 10) << name << " hardly asks";
    for (int last = 1; last < questions * 9 / 10; last += 1 + questions / 20) {
      int asked = 0;
      const Status ended = work([&] { return ++asked >= last; });
      ASSERT_FALSE(ended.ok()) << name << " went on after question " << last << " of " << questions;
      EXPECT_EQ(ended.error().kind, ErrorKind::unavailable) << name << ": " << ended.error().message;
      EXPECT_EQ(ended.error().message, "the work was interrupted") << name;
      EXPECT_EQ(names_beside(), before) << name << " left something at question " << last;
    }
  }
  EXPECT_EQ(verify().findings, std::vector<Finding>()) << "later work is not cancelled";
}

TEST_F(UpkeepTest, TheSettingsOfThePalaceGoWithEveryCopy) {
  const std::string settings = "{\n  \"collection\": \"notes\"\n}\n";
  ASSERT_TRUE(write_file_atomically(palace_.folder() / kPalaceConfigurationName, settings).ok());
  ASSERT_TRUE(palace_.backend().upkeep()->backup(palace_.ref(), beside("backup.loci")).ok());
  ASSERT_TRUE(palace_.backend().upkeep()->restore(beside("backup.loci"), PalaceRef::at(beside("restored"))).ok());
  ASSERT_TRUE(palace_.backend().upkeep()->salvage(palace_.ref(), PalaceRef::at(beside("saved"))).ok());
  for (const char* copy : {"restored", "saved"}) {
    const auto copied = read_file(beside(copy) / kPalaceConfigurationName);
    ASSERT_TRUE(copied.ok()) << copied.error().message;
    EXPECT_EQ(*copied, settings);
  }
}

TEST_F(UpkeepTest, APalaceOfAnOlderFormatIsExaminedSavedAndRestoredAsItIs) {
  ASSERT_TRUE(palace_.backend().upkeep()->backup(palace_.ref(), beside("backup.loci")).ok());
  const std::string older = "DROP TABLE segments; PRAGMA user_version = 3";
  palace_.execute(older);
  ASSERT_TRUE((*open_connection(beside("backup.loci"), OpenMode::read_write))->execute(older).ok());
  const std::string before = *read_file(palace_.file());

  for (const Finding& finding : verify().findings) EXPECT_FALSE(finding.needs_attention) << finding.detail;
  const auto saved = palace_.backend().upkeep()->salvage(palace_.ref(), PalaceRef::at(beside("saved")));
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  EXPECT_EQ(saved->saved, static_cast<std::size_t>(kRecords));
  const auto restored = palace_.backend().upkeep()->restore(beside("backup.loci"), PalaceRef::at(beside("restored")));
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(restored->records, static_cast<std::size_t>(kRecords));
  EXPECT_EQ(*read_file(palace_.file()), before);
}

TEST_F(UpkeepTest, SalvageOfASoundPalaceLosesNothing) {
  const PalaceRef target = PalaceRef::at(beside("saved"));
  const auto report = palace_.backend().upkeep()->salvage(palace_.ref(), target);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->saved, static_cast<std::size_t>(kRecords));
  EXPECT_EQ(report->saved_in_part + report->lost, 0U);
  const auto saved = palace_.backend().collection(target, "drawers", {});
  EXPECT_EQ(*(*saved)->get({.include = {.embeddings = true, .details = true}}),
            *palace_.drawers()->get({.include = {.embeddings = true, .details = true}}));
}

TEST_F(UpkeepTest, SalvageDoesNotTrustTheCounterOfRows) {
  palace_.execute("UPDATE sqlite_sequence SET seq = seq + (1 << 40) WHERE name = 'records'");
  const auto report = palace_.backend().upkeep()->salvage(palace_.ref(), PalaceRef::at(beside("saved")));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->saved, static_cast<std::size_t>(kRecords));
}

// Saves what is left of a palace whose database is `content`, and checks that every record is accounted for.
class DamagedPalace {
 public:
  explicit DamagedPalace(const std::string& content) : content_(content) {
    EXPECT_TRUE(make_private_folder(palace_.folder()).ok());
    EXPECT_TRUE(write_file_atomically(palace_.file(), content).ok());
    const auto verified = palace_.backend().upkeep()->verify(palace_.ref(), VerifyDepth::deep);
    const auto report = palace_.backend().upkeep()->salvage(palace_.ref(), saved_);
    EXPECT_TRUE(verified.ok()) << verified.error().message;
    EXPECT_TRUE(report.ok()) << report.error().message;
    if (!verified.ok() || !report.ok()) return;
    report_ = *report;
    EXPECT_EQ(report_.saved + report_.saved_in_part + report_.lost, static_cast<std::size_t>(kRecords));
    if (report_.saved < kRecords) {
      EXPECT_FALSE(report_.losses.empty());
      EXPECT_FALSE(verified->findings.empty());
    }
    EXPECT_EQ(*read_file(palace_.file()), content_) << "the original was touched";
  }

  const SalvageReport& report() const { return report_; }

  // Of all collections.
  std::vector<Record> saved() {
    std::vector<Record> all;
    const auto collections = palace_.backend().collections(saved_, Access::read_only);
    EXPECT_TRUE(collections.ok()) << collections.error().message;
    if (!collections.ok()) return all;
    for (const CollectionInfo& info : *collections) {
      const auto collection = palace_.backend().collection(saved_, info.name, {});
      const auto records = (*collection)->get({.include = {.embeddings = true}});
      all.insert(all.end(), records->begin(), records->end());
    }
    EXPECT_EQ(all.size(), report_.saved + report_.saved_in_part);
    return all;
  }

 private:
  const std::string& content_;
  TestPalace palace_;
  PalaceRef saved_ = PalaceRef::at(palace_.folder().parent_path() / "saved");
  SalvageReport report_;
};

constexpr std::size_t kPage = 8192;

class SalvageTest : public UpkeepTest {
 protected:
  static void expect_exact(const std::vector<Record>& records) {
    for (const Record& found : records) {
      if (!found.id.starts_with("record-")) continue;
      EXPECT_EQ(found.document, text(std::stoi(found.id.substr(7)))) << "never a wrong text";
    }
  }
};

TEST_F(SalvageTest, EveryPageThatIsLostCostsOnlyWhatWasOnIt) {
  const std::string whole = *read_file(palace_.file());
  std::size_t in_part = 0;
  std::size_t lost = 0;
  for (std::size_t at = 0; at < whole.size(); at += kPage) {
    SCOPED_TRACE("page " + std::to_string(at / kPage + 1));
    std::string content = whole;
    content.replace(at, kPage, kPage, '\0');
    DamagedPalace damaged(content);
    const std::vector<Record> saved = damaged.saved();
    expect_exact(saved);
    in_part += damaged.report().saved_in_part;
    lost += damaged.report().lost;
    const auto is_nameless = [](const Record& record) { return !record.id.starts_with("record-"); };
    EXPECT_TRUE(std::none_of(saved.begin(), saved.end(), is_nameless)) << "an index knows every id";
  }
  EXPECT_GT(in_part, 0U);
  EXPECT_GT(lost, 0U);
}

bool tells(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

// The pages that are gone may have held the tables and indexes that told of the rows.
TEST_F(SalvageTest, RowsThatNothingTellsOfAnyMoreAreTold) {
  const std::string whole = *read_file(palace_.file());
  for (const std::size_t pages : {2U, 8U, 30U}) {
    SCOPED_TRACE(pages);
    ASSERT_TRUE(make_private_folder(beside("cut-off")).ok());
    ASSERT_TRUE(write_file_atomically(beside("cut-off") / kDatabaseName, whole.substr(0, pages * kPage)).ok());
    const PalaceRef cut_off = PalaceRef::at(beside("cut-off"));
    const PalaceRef target = PalaceRef::at(beside("saved-" + std::to_string(pages)));
    const auto report = palace_.backend().upkeep()->salvage(cut_off, target);
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_FALSE(report->losses.empty());
    const std::size_t missing = whole.size() / kPage - pages;
    EXPECT_TRUE(tells({report->losses.front()}, std::to_string(missing) + " of its " +
                                                    std::to_string(whole.size() / kPage) + " pages are missing"))
        << report->losses.front();
    EXPECT_TRUE(report->saved + report->saved_in_part + report->lost == kRecords ||
                tells(report->losses, "nowhere to be found") || tells(report->losses, "cannot be told"));
  }
}

TEST_F(LogTest, SalvageTellsWhatADamagedLogLost) {
  ASSERT_TRUE(write_file_atomically(beside("at-rest") / "palace.db-wal", flipped(log_, 32 + 2 * kFrame + 500)).ok());
  const auto report =
      make_embedded_backend()->upkeep()->salvage(PalaceRef::at(beside("at-rest")), PalaceRef::at(beside("saved")));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(tells(report->losses, "acknowledged writes from there on are lost"));
}

// A file of no bytes is what SQLite takes for a new one, and then removes the log beside it.
TEST_F(LogTest, ADatabaseThatWasCutToNothingKeepsItsLog) {
  ASSERT_TRUE(write_file_atomically(beside("at-rest") / kDatabaseName, "").ok());
  const PalaceRef emptied = PalaceRef::at(beside("at-rest"));
  for (const Access access : {Access::read_only, Access::read_write}) {
    const auto refused =
        make_embedded_backend()->collection(emptied, "drawers", {.if_missing = IfMissing::create, .access = access});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::corruption);
    EXPECT_NE(refused.error().message.find("cut to nothing"), std::string::npos) << refused.error().message;
  }
  const auto verified = make_embedded_backend()->upkeep()->verify(emptied, VerifyDepth::deep);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  EXPECT_FALSE(verified->findings.empty());
  const auto report = make_embedded_backend()->upkeep()->salvage(emptied, PalaceRef::at(beside("saved")));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(tells(report->losses, "pages are missing"));
  EXPECT_EQ(*read_file(beside("at-rest") / "palace.db-wal"), log_);
  EXPECT_EQ(*read_file(beside("at-rest") / kDatabaseName), "");
}

// Before its first checkpoint a palace is in its log as a whole.
TEST_F(UpkeepTest, WhatTheLogHasIsSavedThoughTheDatabaseWasCutToNothing) {
  TestPalace young;
  ASSERT_TRUE(young.drawers()->add(batch(record("a", "all of it is in the log"))).ok());
  ASSERT_TRUE(make_private_folder(beside("emptied")).ok());
  ASSERT_TRUE(write_file_atomically(beside("emptied") / kDatabaseName, "").ok());
  std::filesystem::copy_file(young.file().string() + "-wal", beside("emptied") / "palace.db-wal");
  const auto report =
      make_embedded_backend()->upkeep()->salvage(PalaceRef::at(beside("emptied")), PalaceRef::at(beside("saved")));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->saved, 1U);
  EXPECT_TRUE(tells(report->losses, "cut to nothing")) << "whoever repairs it should know";
}

TEST_F(SalvageTest, WhereverTheFileIsCutOffTheRestIsSaved) {
  const std::string whole = *read_file(palace_.file());
  std::size_t saved = 0;
  for (std::size_t pages = 1; pages <= 4; ++pages) {
    SCOPED_TRACE(pages);
    const std::string content = whole.substr(0, whole.size() - pages * kPage - pages % 2 * 100);
    DamagedPalace damaged(content);
    expect_exact(damaged.saved());
    saved += damaged.report().saved;
  }
  EXPECT_GT(saved, 0U);
}

// What is saved is exact, what is not is counted, and the original is not touched.
TEST_F(SalvageTest, OfSeveralPagesThatAreOverwrittenEveryReadableRecordIsSaved) {
  std::mt19937 random(11);
  std::size_t saved = 0;
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    std::string content = *read_file(palace_.file());
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % (content.size() / kPage) * kPage;
      for (std::size_t byte = at; byte < at + kPage; ++byte) content[byte] = static_cast<char>(random());
    }
    DamagedPalace damaged(content);
    expect_exact(damaged.saved());
    saved += damaged.report().saved;
  }
  EXPECT_GT(saved, 0U);
}

}  // namespace
}  // namespace loci::embedded
