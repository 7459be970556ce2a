#include "store/builtin/builtin_backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(BuiltinBackendsTest, EachIsFoundUnderItsOwnName) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  EXPECT_THAT(registry.names(), testing::Contains(kDefaultBackend));
  for (const std::string& name : registry.names()) {
    const Result<Backend*> backend = registry.find(name);
    ASSERT_TRUE(backend.ok()) << backend.error().message;
    EXPECT_EQ((*backend)->info().name, name);
  }
}

}  // namespace
}  // namespace loci
