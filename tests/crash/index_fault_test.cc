// System calls fail while the vector index is built, merged and read. Searches stay complete, and once the fault is
// gone the index is built.
#include <cerrno>

#include <gtest/gtest.h>

#include "tests/crash/fault_injection.h"
#include "tests/crash/index_workload.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kMaxCalls = 400;

class IndexFaultTest : public testing::TestWithParam<FaultyCall> {
 protected:
  // True: the fault happened.
  static bool try_fault(const Fault& fault) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
    const auto backend = make_embedded_backend(busy_index());
    const auto opened = backend->collection(palace, "drawers", {.if_missing = IfMissing::create});
    EXPECT_TRUE(opened.ok() && (*opened)->add(index_records(0)).ok() && (*opened)->index_pending().ok());
    EXPECT_TRUE((*opened)->add(index_records(kIndexBatch)).ok());  // the next build merges
    const QueryRequest request{.embeddings = {index_vector(1)}};
    bool happened = false;
    {
      const ArmedFault armed(fault);
      static_cast<void>((*opened)->index_pending());
      static_cast<void>((*opened)->index_pending());  // sorts into lists
      static_cast<void>((*opened)->query(request));
      happened = armed.has_happened();
    }
    EXPECT_EQ(index_violations(palace, 2 * kIndexBatch, busy_index()), std::vector<std::string>());
    for (int step = 0; step < 2; ++step) {
      const auto built = (*opened)->index_pending();
      EXPECT_TRUE(built.ok()) << built.error().message;
    }
    EXPECT_EQ(index_violations(palace, 2 * kIndexBatch, busy_index()), std::vector<std::string>());
    const auto state = backend->maintenance_state(palace, Access::read_write);
    EXPECT_EQ(state->at("vector_index"), MetadataValue("segments"));
    EXPECT_EQ(state->at("vector_tail"), MetadataValue(0));
    return happened;
  }
};

TEST_P(IndexFaultTest, SearchesStayCompleteAndTheIndexIsBuiltInTheEnd) {
  std::int64_t faults = 0;
  const std::int64_t stride = GetParam() == FaultyCall::allocate ? 23 : 1;
  for (const Repeats repeats : {Repeats::once, Repeats::forever}) {
    for (std::int64_t at = 1; at <= kMaxCalls; at += stride) {
      SCOPED_TRACE("call " + std::to_string(at) + " of " + std::string(to_string(GetParam())));
      const bool happened = try_fault({GetParam(), GetParam() == FaultyCall::allocate ? ENOMEM : EIO, at, repeats});
      if (HasFailure()) return;
      if (!happened) break;
      ++faults;
    }
  }
  EXPECT_GT(faults, 0);
  std::cout << "tried: " << faults << " faults of " << to_string(GetParam()) << " while indexing\n";
}

INSTANTIATE_TEST_SUITE_P(Calls, IndexFaultTest,
                         testing::Values(FaultyCall::open, FaultyCall::write, FaultyCall::sync, FaultyCall::rename,
                                         FaultyCall::remove, FaultyCall::map, FaultyCall::allocate),
                         [](const auto& call) { return std::string(to_string(call.param)); });

}  // namespace
}  // namespace loci::crash
