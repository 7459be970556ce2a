#include "store/palace_handles.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

struct CountingHandle {
  void release() { ++released; }
  void close() { ++closed; }
  int released = 0;
  int closed = 0;
};

class PalaceHandlesTest : public testing::Test {
 protected:
  std::shared_ptr<CountingHandle> get(const PalaceRef& palace, Access access = Access::read_write) {
    const auto handle = handles_.get(palace, info_, access, [] { return std::make_shared<CountingHandle>(); });
    return handle.ok() ? *handle : nullptr;
  }

  const BackendInfo info_{.name = "x",
                          .spec_version = "1",
                          .capabilities = {std::string(capability::kLocalMode)},
                          .max_batch = {},
                          .maintenance_kinds = {}};
  PalaceHandles<CountingHandle, Access> handles_;
};

TEST_F(PalaceHandlesTest, APalaceHasOneHandleForEachWay) {
  const auto first = get(PalaceRef::at("/a"));
  EXPECT_EQ(get(PalaceRef::at("/a")), first);
  EXPECT_NE(get(PalaceRef::at("/a"), Access::read_only), first);
  EXPECT_NE(get(PalaceRef::at("/b")), first);
}

TEST_F(PalaceHandlesTest, ReleasingReachesEveryHandleOfThatPalaceAlone) {
  const auto writing = get(PalaceRef::at("/a"));
  const auto reading = get(PalaceRef::at("/a"), Access::read_only);
  const auto other = get(PalaceRef::at("/b"));
  handles_.release(PalaceRef::at("/a"));
  EXPECT_EQ(writing->released, 1);
  EXPECT_EQ(reading->released, 1);
  EXPECT_EQ(other->released, 0);
  EXPECT_EQ(get(PalaceRef::at("/a")), writing) << "it opens its files again";
}

TEST_F(PalaceHandlesTest, ClosingClosesThemAndThereAreNoMore) {
  const auto handle = get(PalaceRef::at("/a"));
  handles_.close();
  EXPECT_EQ(handle->closed, 1);
  EXPECT_EQ(get(PalaceRef::at("/a")), nullptr);
}

}  // namespace
}  // namespace loci
