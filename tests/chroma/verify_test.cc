// verify, quarantine and repair --only seq-ids on folders written by real Chroma: each is what it is known to be.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "loci/upkeep.h"
#include "store/chroma/folder_backend.h"
#include "tests/chroma/sample_folder.h"

namespace loci::chroma_tests {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

// What a sample is.
struct Known {
  struct OfCollection {
    std::size_t rows = 0;
    std::size_t missing = 0;
    std::size_t stale = 0;
    std::vector<std::string> damages = {};  // findings that need attention
    std::vector<std::string> notes = {};
  };
  std::map<std::string, OfCollection> collections;
};

const std::map<std::string, Known>& known_samples() {
  using Of = Known::OfCollection;
  const Of all_1194 = {.rows = 1194};
  const Of all_2261 = {.rows = 2261};
  const auto cut = [](std::size_t missing) {
    return Of{.rows = 1194, .missing = missing, .damages = {"cut vectors", "purged queue", "missing vectors"}};
  };
  const auto without_labels = [](std::size_t missing) {
    return Of{.rows = 1194, .missing = missing, .damages = {"missing pickle", "purged queue", "missing vectors"}};
  };
  const auto renamed = [](std::size_t missing) {
    return Of{.rows = 1194,
              .missing = missing,
              .damages = {"missing index", "purged queue", "quarantined copy", "missing vectors"}};
  };
  const auto torn = [](std::size_t rows) { return Of{.rows = rows, .damages = {"torn persist", "damaged links"}}; };
  const Of old_note = {.rows = 2261, .notes = {"wrong space"}};
  const Of links = {.rows = 1194, .damages = {"damaged links"}};
  const Of no_index = {.rows = 2261, .notes = {"missing index"}};
  const Of blob = {.rows = 2263, .damages = {"BLOB frontier"}, .notes = {"wrong space"}};
  static const std::map<std::string, Known> kKnown = {
      {"data-truncated-1.5.9", {{{"cos", cut(478)}, {"l2c", cut(482)}}}},
      {"deleted-rows-1.5.9",
       {{{"arr", {.rows = 3}}, {"cos", {.rows = 250}}, {"ipc", {.rows = 250}}, {"l2c", {.rows = 250}}}}},
      {"healthy-0.4.24", {{{"cos", all_2261}, {"l2c", all_2261}}}},
      {"healthy-0.5.5", {{{"cos", old_note}, {"l2c", all_2261}}}},
      {"healthy-0.6.3", {{{"cos", old_note}, {"l2c", all_2261}}}},
      {"healthy-1.0.20", {{{"cos", all_1194}, {"l2c", all_1194}}}},
      {"links-truncated-1.5.9", {{{"cos", links}, {"l2c", links}}}},
      {"maxseq-blob-after-downgrade", {{{"cos", blob}, {"l2c", {.rows = 2262}}}}},
      {"pickle-missing-1.5.9", {{{"cos", without_labels(1157)}, {"l2c", without_labels(1159)}}}},
      {"segdir-quarantined-1.5.9", {{{"cos", renamed(1157)}, {"l2c", renamed(1159)}}}},
      {"segdir-removed-0.4.24", {{{"cos", no_index}, {"l2c", no_index}}}},
      {"sigkill-midpersist-500-1.0.20", {{{"cos", torn(990)}}}},
      {"sigkill-midpersist-segv-1.0.20", {{{"cos", torn(1206)}}}},
  };
  return kKnown;
}

class VerifyTest : public testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    unpack(GetParam(), folder_.path());
    palace_ = folder_.path() / name_of(GetParam()) / "dir";
  }
  const std::filesystem::path& palace() const { return palace_; }

 private:
  const TemporaryFolder folder_;
  std::filesystem::path palace_;
};

std::vector<std::string> checks_of(const std::vector<Finding>& findings, bool needs_attention) {
  std::vector<std::string> checks;
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.detail.empty());
    if (finding.needs_attention == needs_attention) checks.push_back(finding.check);
  }
  return checks;
}

TEST_P(VerifyTest, TheReportIsWhatTheSampleIsAndNothingIsTouched) {
  const auto known = known_samples().find(name_of(GetParam()));
  ASSERT_NE(known, known_samples().end()) << "say what this sample is";
  const auto before = contents_of(palace());
  const auto backend = make_chroma_folder_backend();
  for (const VerifyDepth depth : {VerifyDepth::quick, VerifyDepth::deep}) {
    const auto report = backend->upkeep()->verify(PalaceRef::at(palace()), depth);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_THAT(checks_of(report->findings, true), IsEmpty());
    ASSERT_EQ(report->collections.size(), known->second.collections.size());
    for (const Coverage& coverage : report->collections) {
      SCOPED_TRACE(coverage.name);
      const Known::OfCollection& expected = known->second.collections.at(coverage.name);
      EXPECT_EQ(coverage.rows, expected.rows);
      EXPECT_EQ(coverage.missing, expected.missing);
      EXPECT_EQ(coverage.stale, expected.stale);
      EXPECT_EQ(coverage.vectors, expected.rows - expected.missing - expected.stale);
      EXPECT_EQ(coverage.ghosts, 0U);
      EXPECT_THAT(checks_of(coverage.findings, true), UnorderedElementsAreArray(expected.damages));
      EXPECT_THAT(checks_of(coverage.findings, false), UnorderedElementsAreArray(expected.notes));
    }
  }
  backend->close();
  EXPECT_EQ(contents_of(palace()), before) << "verify changed the folder";
}

void set_changed(const std::filesystem::path& file, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

// An index that is much older than its database may go only if the queue alone brings every vector back: that is, not
// in a folder whose queue was purged.
TEST_P(VerifyTest, QuarantineTakesNoVectorAway) {
  constexpr std::int64_t kNow = 1'700'000'000;
  const auto backend = make_chroma_folder_backend();
  const PalaceRef ref = PalaceRef::at(palace());
  const auto vectors_in = [&] {
    std::map<std::string, std::size_t> vectors;
    const auto report = backend->upkeep()->verify(ref, VerifyDepth::quick);
    EXPECT_TRUE(report.ok());
    for (const Coverage& coverage : report->collections) vectors[coverage.name] = coverage.vectors;
    return vectors;
  };
  const auto before = vectors_in();
  backend->close_palace(ref);
  set_changed(palace() / "chroma.sqlite3", kNow);
  std::size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(palace())) {
    if (!std::filesystem::exists(entry.path() / "data_level0.bin")) continue;
    set_changed(entry.path() / "data_level0.bin", kNow - 7200);
    folders += entry.path().filename().string().find(".drift-") == std::string::npos ? 1 : 0;
  }
  const auto report = backend->upkeep()->quarantine(ref, {.apply = Apply::yes});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->moved.size() + report->refused.size(), folders);
  for (const QuarantineReport::Refused& refused : report->refused) EXPECT_GT(refused.only_here, 0U);
  EXPECT_EQ(vectors_in(), before);
  // Those of the first releases have all their writes in the queue.
  const std::string name = name_of(GetParam());
  if (name == "healthy-0.4.24" || name == "healthy-0.5.5") {
    EXPECT_EQ(report->moved.size(), 2U);
  }
  if (name == "healthy-0.6.3" || name == "healthy-1.0.20") {
    EXPECT_EQ(report->refused.size(), 2U);
  }
}

TEST_P(VerifyTest, SequenceNumbersAreMendedWhereTheyAreDamagedOnly) {
  const auto backend = make_chroma_folder_backend();
  const PalaceRef ref = PalaceRef::at(palace());
  const auto before = contents_of(palace());
  const auto planned = backend->upkeep()->mend(ref, "seq-ids", Apply::no);
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(contents_of(palace()), before);
  const auto report = backend->upkeep()->mend(ref, "seq-ids", Apply::yes);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->changed, planned->changed);
  const bool is_damaged = name_of(GetParam()) == "maxseq-blob-after-downgrade";
  EXPECT_EQ(report->changed > 0, is_damaged);
  if (!is_damaged) {
    EXPECT_EQ(contents_of(palace()), before);
  }
  EXPECT_EQ(backend->upkeep()->mend(ref, "seq-ids", Apply::yes)->changed, 0U);
  const auto verified = backend->upkeep()->verify(ref, VerifyDepth::quick);
  ASSERT_TRUE(verified.ok());
  for (const Coverage& coverage : verified->collections) {
    EXPECT_EQ(coverage.rows, known_samples().at(name_of(GetParam())).collections.at(coverage.name).rows);
    for (const Finding& finding : coverage.findings) EXPECT_NE(finding.check, "BLOB frontier");
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VerifyTest);
INSTANTIATE_TEST_SUITE_P(Samples, VerifyTest, testing::ValuesIn(archives_in("chroma")),
                         [](const auto& each) { return test_name_of(each.param); });

TEST(VerifySamplesTest, FoldersOfOtherPeopleAreToldAsTheyAre) {
  const auto archives = archives_in("chroma-public");
  if (archives.empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no public Chroma folders";
  for (const std::filesystem::path& archive : archives) {
    SCOPED_TRACE(archive.filename());
    const TemporaryFolder folder;
    unpack(archive, folder.path());
    const auto before = contents_of(folder.path());
    const auto backend = make_chroma_folder_backend();
    for (const auto& [file, content] : before) {
      if (std::filesystem::path(file).filename() != "chroma.sqlite3") continue;
      const PalaceRef palace = PalaceRef::at(std::filesystem::path(file).parent_path());
      const auto report = backend->upkeep()->verify(palace, VerifyDepth::deep);
      ASSERT_TRUE(report.ok()) << report.error().message;
      EXPECT_THAT(checks_of(report->findings, true), IsEmpty());
      for (const Coverage& coverage : report->collections) {
        EXPECT_EQ(coverage.vectors, coverage.rows) << coverage.name;
        EXPECT_EQ(coverage.ghosts, 0U) << coverage.name;
        EXPECT_THAT(checks_of(coverage.findings, true), IsEmpty()) << coverage.name;
      }
    }
    backend->close();
    EXPECT_EQ(contents_of(folder.path()), before);
  }
}

}  // namespace
}  // namespace loci::chroma_tests
