// System calls fail while a palace is imported into, mended, migrated, backed up, restored or saved: a clear error,
// what the work makes is there whole or not at all, and it succeeds afterwards.
#include <cerrno>
#include <iostream>
#include <new>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/crash/fault_injection.h"
#include "tests/crash/upkeep_work.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kMaxCalls = 100'000;

class UpkeepFaultTest : public testing::TestWithParam<FaultyCall> {
 protected:
  static void SetUpTestSuite() { install_allocation_faults(); }

  void SetUp() override {
    const Status made = make_upkeep_inputs(inputs());
    ASSERT_TRUE(made.ok()) << made.error().message;
  }

  std::filesystem::path inputs() const { return folder_.path() / "inputs"; }

  // True: the fault happened.
  bool try_fault(const UpkeepWork& work, const Fault& fault) const {
    const std::filesystem::path result = folder_.path() / "result";
    std::filesystem::remove_all(result);
    EXPECT_TRUE(work.prepare(inputs(), result).ok());
    bool happened = false;
    bool lacked_memory = false;  // outside of the store, where nobody catches it but a face
    Status tried;
    {
      const ArmedFault armed(fault);
      try {
        tried = work.run(inputs(), result);
      } catch (const std::bad_alloc&) {
        lacked_memory = true;
      }
      happened = armed.has_happened();
    }
    if (lacked_memory) tried = Error{ErrorKind::io, "out of memory"};
    const bool is_made = !work.makes.empty() && std::filesystem::exists(result / work.makes);
    if (!tried.ok()) {
      EXPECT_TRUE(happened) << "failed without a fault: " << tried.error().message;
      // What cannot be read looks damaged to whoever examines it; where memory was lacking the message says so.
      const bool may_look_damaged =
          fault.call == FaultyCall::read || tried.error().message.find("out of memory") != std::string::npos;
      const bool is_clear = tried.error().kind == ErrorKind::io || tried.error().kind == ErrorKind::busy ||
                            (tried.error().kind == ErrorKind::corruption && may_look_damaged);
      EXPECT_TRUE(is_clear) << to_string(tried.error().kind) << ": " << tried.error().message;
      EXPECT_FALSE(is_made) << work.makes << " is there after an error: " << tried.error().message;
    }
    if (!is_made) {
      const Status again = work.run(inputs(), result);
      EXPECT_TRUE(again.ok()) << "after the fault was gone: " << again.error().message;
    }
    EXPECT_EQ(work.violations(result), std::vector<std::string>());
    return happened;
  }

  const TemporaryFolder folder_ = fast_folder();
};

TEST_P(UpkeepFaultTest, AFailingCallIsAClearErrorAndLeavesNothingHalfMade) {
  const bool is_memory = GetParam() == FaultyCall::allocate;
  std::int64_t faults = 0;
  for (const UpkeepWork& work : upkeep_works()) {
    // What repair has no memory to read it takes for damaged, and says so.
    if (is_memory && work.name == std::string_view("repair")) continue;
    for (const Repeats repeats : {Repeats::once, Repeats::forever}) {
      const int error = is_memory ? ENOMEM : repeats == Repeats::once ? EIO : ENOSPC;
      std::int64_t step = 1;
      for (std::int64_t at = 1; at <= kMaxCalls; at += step) {
        SCOPED_TRACE(std::string(work.name) + ": call " + std::to_string(at) + " of " +
                     std::string(to_string(GetParam())) + (repeats == Repeats::once ? " once" : " forever"));
        const bool happened = try_fault(work, {GetParam(), error, at, repeats});
        faults += happened ? 1 : 0;
        if (HasFailure()) return;
        if (!happened) break;
        step = 1 + at / 4;  // the first ones all, later fewer
      }
    }
  }
  EXPECT_GT(faults, 0);
  std::cout << "tried: " << faults << " faults of " << to_string(GetParam()) << " during upkeep\n";
}

INSTANTIATE_TEST_SUITE_P(Calls, UpkeepFaultTest,
                         testing::Values(FaultyCall::open, FaultyCall::read, FaultyCall::write, FaultyCall::sync,
                                         FaultyCall::truncate, FaultyCall::rename, FaultyCall::link, FaultyCall::remove,
                                         FaultyCall::map, FaultyCall::make_folder, FaultyCall::allocate),
                         [](const auto& call) { return std::string(to_string(call.param)); });

}  // namespace
}  // namespace loci::crash
