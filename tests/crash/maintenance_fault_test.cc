// System calls fail while a palace is maintained: a clear error, the same records, and the work succeeds afterwards.
#include <cerrno>

#include <gtest/gtest.h>

#include "store/embedded/embedded_backend.h"
#include "tests/crash/fault_injection.h"
#include "tests/crash/palace_check.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kMaxCalls = 20'000;
constexpr int kRecords = 60;
constexpr int kErased = 50;

class MaintenanceFaultTest : public testing::TestWithParam<FaultyCall> {
 protected:
  static void SetUpTestSuite() { install_allocation_faults(); }

  static void fill(const PalaceRef& palace) {
    const auto backend = make_embedded_backend();
    const auto drawers = backend->collection(palace, "drawers", {.if_missing = IfMissing::create});
    ASSERT_TRUE(drawers.ok());
    std::vector<Record> records;
    std::vector<std::string> erased;
    const std::string long_word(3000, 'x');
    for (int i = 0; i < kRecords; ++i) {
      Record& record = records.emplace_back();
      record.id = "id" + std::to_string(i);
      record.document = "text " + long_word;
      if (i < kErased) erased.push_back(records.back().id);
    }
    ASSERT_TRUE((*drawers)->add(records).ok() && (*drawers)->erase({.ids = erased}).ok());
  }

  static bool try_fault(const char* kind, const Fault& fault) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
    fill(palace);
    const auto backend = make_embedded_backend();
    bool happened = false;
    {
      const ArmedFault armed(fault);
      const Result<MaintenanceReport> tried = backend->run_maintenance(palace, kind);
      happened = armed.has_happened();
      if (!tried.ok()) {
        EXPECT_TRUE(happened) << "failed without a fault: " << tried.error().message;
        EXPECT_NE(tried.error().kind, ErrorKind::internal) << tried.error().message;
      }
    }
    const Result<MaintenanceReport> again = backend->run_maintenance(palace, kind);
    EXPECT_TRUE(again.ok()) << "after the fault was gone: " << again.error().message;
    const auto drawers = backend->collection(palace, "drawers", {});
    EXPECT_EQ((*drawers)->match({.text = "text", .n_results = 100})->size(), std::size_t{kRecords - kErased});
    backend->close();
    EXPECT_EQ(inconsistencies(palace), std::vector<std::string>());
    return happened;
  }
};

TEST_P(MaintenanceFaultTest, AFailingCallIsAClearErrorAndLosesNothing) {
  std::int64_t faults = 0;
  for (const char* kind : {"analyze", "compact", "reindex"}) {
    for (const int error : GetParam() == FaultyCall::allocate ? std::vector{ENOMEM} : std::vector{ENOSPC, EIO}) {
      for (const Repeats repeats : {Repeats::once, Repeats::forever}) {
        std::int64_t step = 1;
        for (std::int64_t at = 1; at <= kMaxCalls; at += step) {
          SCOPED_TRACE(std::string(kind) + ": call " + std::to_string(at) + " of " +
                       std::string(to_string(GetParam())) + " fails with " + std::to_string(error));
          const bool happened = try_fault(kind, {GetParam(), error, at, repeats});
          faults += happened ? 1 : 0;
          if (HasFailure()) return;
          if (!happened) break;
          step = 1 + at / 4;  // the first ones all, later fewer
        }
      }
    }
  }
  EXPECT_GT(faults, 0);
}

INSTANTIATE_TEST_SUITE_P(Calls, MaintenanceFaultTest,
                         testing::Values(FaultyCall::open, FaultyCall::read, FaultyCall::write, FaultyCall::sync,
                                         FaultyCall::truncate, FaultyCall::allocate),
                         [](const auto& call) { return std::string(to_string(call.param)); });

}  // namespace
}  // namespace loci::crash
