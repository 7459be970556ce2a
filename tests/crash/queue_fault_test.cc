// The disk is full while drawers are embedded, or a palace re-embedded: at every write, once and from then on.
#include <cerrno>
#include <functional>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/crash/embedding_work.h"
#include "tests/crash/fault_injection.h"
#include "tests/crash/palace_check.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr int kRecords = 20;
constexpr std::int64_t kMaxCalls = 2000;

struct Work {
  const char* name;
  std::function<Status(const PalaceRef&)> prepare;
  std::function<Status(const PalaceRef&)> run;
};

class QueueFaultTest : public testing::TestWithParam<FaultyCall> {
 protected:
  static std::vector<Work> works() {
    return {{"embed", [](const PalaceRef& palace) { return make_waiting_palace(palace, kRecords); },
             [](const PalaceRef& palace) { return embed_all(palace, SlowEmbedder(kOldDimension)); }},
            {"re-embed", [](const PalaceRef& palace) { return make_old_palace(palace, kRecords); },
             [](const PalaceRef& palace) -> Status {
               TRY(reembed_all(palace, SlowEmbedder(kNewDimension)));
               return {};
             }}};
  }

  // True: the fault happened.
  static bool try_fault(const Work& work, const Fault& fault) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
    EXPECT_TRUE(work.prepare(palace).ok());
    bool happened = false;
    {
      const ArmedFault armed(fault);
      const Status tried = work.run(palace);
      happened = armed.has_happened();
      if (!tried.ok()) {
        EXPECT_TRUE(happened) << tried.error().message;
        EXPECT_TRUE(tried.error().kind == ErrorKind::io || tried.error().kind == ErrorKind::busy)
            << to_string(tried.error().kind) << ": " << tried.error().message;
        EXPECT_NE(tried.error().message.find(palace.id), std::string::npos) << tried.error().message;
      }
    }
    EXPECT_EQ(wrong_vectors(palace, Waiting::allowed), std::vector<std::string>());
    const Status again = work.run(palace);
    EXPECT_TRUE(again.ok()) << "with space again: " << again.error().message;
    EXPECT_EQ(wrong_vectors(palace, Waiting::forbidden), std::vector<std::string>());
    EXPECT_EQ(inconsistencies(palace), std::vector<std::string>());
    return happened;
  }
};

TEST_P(QueueFaultTest, AFullDiskGivesAClearErrorAndTheWorkGoesOnLater) {
  std::int64_t faults = 0;
  for (const Work& work : works()) {
    for (const Repeats repeats : {Repeats::once, Repeats::forever}) {
      for (std::int64_t at = 1; at <= kMaxCalls; ++at) {
        SCOPED_TRACE(std::string(work.name) + ": call " + std::to_string(at) +
                     (repeats == Repeats::once ? " once" : " forever"));
        const bool happened = try_fault(work, {GetParam(), ENOSPC, at, repeats});
        faults += happened ? 1 : 0;
        if (HasFailure()) return;
        if (!happened) break;
        ASSERT_LT(at, kMaxCalls);
      }
    }
  }
  EXPECT_GT(faults, 0);
  std::cout << "tried: " << faults << " full disks at " << to_string(GetParam()) << " while drawers were embedded\n";
}

INSTANTIATE_TEST_SUITE_P(Calls, QueueFaultTest, testing::Values(FaultyCall::write, FaultyCall::sync),
                         [](const auto& call) { return std::string(to_string(call.param)); });

}  // namespace
}  // namespace loci::crash
