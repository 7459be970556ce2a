#include "base/function_ref.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

int call_with_two(FunctionRef<int(int)> function) { return function(2); }

TEST(FunctionRefTest, CallsALambdaWithItsCaptures) {
  int sum = 40;
  EXPECT_EQ(call_with_two([&sum](int value) { return sum += value; }), 42);
  EXPECT_EQ(sum, 42);
}

TEST(FunctionRefTest, CallsAConstantObject) {
  const auto doubled = [](int value) { return value * 2; };
  EXPECT_EQ(call_with_two(doubled), 4);
}

TEST(FunctionRefTest, ACopyCallsTheSameObject) {
  int calls = 0;
  const auto count = [&calls](int) { return ++calls; };
  const FunctionRef<int(int)> first = count;
  const FunctionRef<int(int)> second = first;
  first(0);
  second(0);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace loci
