// Tests of the suite: a backend with a defect fails, and fails in the test that is about it. Each case runs a part of
// this very program as a child, with the defect named in the environment.
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include <sys/wait.h>

#include "tests/conformance/fixture.h"
#include "tests/conformance/memory_backend.h"
#include "tests/promised.h"

namespace loci::conformance {
namespace {

using testing::HasSubstr;

struct SuiteRun {
  int exit_code = -1;  // -1: it did not end by itself
  std::string output;
  std::set<std::string> failed;  // "FilterTest.F1_…"
};

// Runs the tests that the filter names for one backend, with settings such as "LOCI_PROMISED=loci" in front.
SuiteRun run_suite(const std::string& settings, const std::vector<std::string>& tests, const std::string& backend) {
  std::string filter;
  for (const std::string& test : tests) filter += "Backends/" + test + "/" + backend + ":";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "env -u GTEST_OUTPUT -u GTEST_FILTER " + settings + " '" + program +
                              "' --gtest_color=no '--gtest_filter=" + filter + "' 2>&1";
  SuiteRun run;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  char buffer[4096];
  while (const std::size_t read = std::fread(buffer, 1, sizeof buffer, pipe)) run.output.append(buffer, read);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);

  constexpr std::string_view kFailed = "[  FAILED  ] Backends/";
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kFailed)) continue;
    const std::string name = line.substr(kFailed.size());
    run.failed.insert(name.substr(0, name.find('/')));
  }
  return run;
}

struct DefectCase {
  Defect defect;
  std::vector<std::string> failing;

  friend void PrintTo(const DefectCase& each, std::ostream* out) { *out << to_string(each.defect); }
};

const std::vector<DefectCase>& defect_cases() {
  static const std::vector<DefectCase> kCases{
      {Defect::drops_unknown_operators,
       {"UnknownOperatorTest.F3_AnUnknownOperatorIsRefusedAtEveryDepth",
        "UnknownOperatorTest.F3_AnUnknownKindOfNodeIsRefusedAtEveryDepth",
        "UnknownOperatorTest.F3_AnOperatorThatDocumentsLackIsRefusedAtEveryDepth",
        "ModelTest.ARandomSequenceOfOperationsAgreesWithTheModel"}},
      {Defect::checks_top_of_filter_only,
       {"UnknownOperatorTest.F3_AnUnknownOperatorIsRefusedAtEveryDepth",
        "ModelTest.ARandomSequenceOfOperationsAgreesWithTheModel"}},
      {Defect::negation_needs_key, {"FilterTest.F1_EqualityAndItsOpposite", "FilterTest.F1_MembershipAndItsOpposite"}},
      {Defect::filters_after_cut,
       {"RareRowTest.F6_AFilterActsBeforeTheCut", "ModelTest.ARandomSequenceOfOperationsAgreesWithTheModel"}},
      {Defect::adds_over_existing, {"WriteTest.C3_AddOfAnIdThatExistsStoresNothingOfTheBatch"}},
      {Defect::keeps_part_of_batch,
       {"WriteTest.C4_ABatchThatIsRefusedAtItsEndLeavesNothing", "WriteTest.C3_TheSameIdTwiceInOneBatchIsRefused",
        "ModelTest.ARandomSequenceOfOperationsAgreesWithTheModel"}},
      {Defect::erases_all_without_selection, {"ReadTest.C8_EraseWithoutASelectionIsRefusedAndErasesNothing"}},
      {Defect::breaks_ties_by_insertion, {"QueryTest.C5_EqualDistancesAreOrderedById"}},
      {Defect::forgets_on_close, {"WriteTest.C1_ARecordReadsBackAsItWasWritten"}},
      {Defect::ignores_dimension,
       {"EmbeddingTest.E2_TheFirstVectorFixesTheDimension", "EmbeddingTest.E2_VectorsOfOneBatchAgree"}},
      {Defect::ignores_model, {"EmbeddingTest.E3_AnotherModelDoesNotOpen"}},
      {Defect::ignores_namespace, {"BackendTest.B4_NamespacesAreIsolatedOrRefused"}},
      {Defect::ignores_palace, {"BackendTest.B3_PalacesAreIsolatedById"}},
      {Defect::creates_what_is_missing,
       {"BackendTest.B5_AMissingPalaceIsNotFoundAndNothingIsCreated",
        "BackendTest.B5_AMissingCollectionIsAnotherErrorAndIsNotCreated"}},
      {Defect::serves_after_close, {"BackendTest.B7_AfterCloseEveryCallIsRefused"}},
      {Defect::folds_nothing,
       {"DetailsTest.EqualKeysInOneBatchAreOneRecord", "DetailsTest.EqualKeysOfTwoWritersAreOneRecord"}},
  };
  return kCases;
}

class DefectTest : public testing::TestWithParam<DefectCase> {};

TEST_P(DefectTest, ADefectFailsTheTestThatIsAboutIt) {
  const std::string settings = "LOCI_CONFORMANCE_DEFECT=" + std::string(to_string(GetParam().defect));
  const SuiteRun run = run_suite(settings, GetParam().failing, "memory");
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_EQ(run.failed, std::set<std::string>(GetParam().failing.begin(), GetParam().failing.end())) << run.output;
}

INSTANTIATE_TEST_SUITE_P(Defects, DefectTest, testing::ValuesIn(defect_cases()),
                         [](const auto& each) { return std::string(to_string(each.param.defect)); });

TEST(SuiteTest, WithoutADefectTheSameTestsPass) {
  std::set<std::string> tests;
  for (const DefectCase& each : defect_cases()) tests.insert(each.failing.begin(), each.failing.end());
  const SuiteRun run = run_suite("LOCI_CONFORMANCE_DEFECT=none", {tests.begin(), tests.end()}, "memory");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("[  PASSED  ] " + std::to_string(tests.size()) + " tests."));
}

TEST(SuiteTest, AMisspeltDefectDoesNotPass) {
  EXPECT_NE(run_suite("LOCI_CONFORMANCE_DEFECT=no_such", {"WriteTest.C4_AnEmptyBatchIsFine"}, "memory").exit_code, 0);
}

TEST(SuiteTest, AnAbsentBackendIsSkippedByNameUnlessItIsPromised) {
  const std::vector<std::string> tests{"WriteTest.C4_AnEmptyBatchIsFine"};
  const SuiteRun skipped = run_suite("LOCI_CONFORMANCE_ABSENT=nowhere LOCI_PROMISED=", tests, "nowhere");
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_THAT(skipped.output, HasSubstr("[  SKIPPED ] 1 test"));
  EXPECT_THAT(skipped.output, HasSubstr("backend nowhere is absent"));
  const SuiteRun promised = run_suite("LOCI_CONFORMANCE_ABSENT=nowhere LOCI_PROMISED=loci,nowhere", tests, "nowhere");
  EXPECT_EQ(promised.exit_code, 1);
  EXPECT_THAT(promised.output, HasSubstr("backend nowhere is promised and absent"));
}

TEST(SuiteTest, EveryPromisedNameIsABackendOrWhatOtherTestsNeed) {
  std::set<std::string> known = {"mcp"};
  for (const BackendUnderTest& each : backends_under_test()) known.insert(each.name);
  for (const std::string& name : promised()) {
    EXPECT_TRUE(known.contains(name)) << "LOCI_PROMISED names " << name << ", which no test knows";
  }
}

}  // namespace
}  // namespace loci::conformance
