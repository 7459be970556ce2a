#include "mcp/stdio.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <future>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "mcp/fake_features.h"

namespace loci::mcp {
namespace {

constexpr std::string_view kListTools = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                                        "\n";

class StdioTest : public testing::Test {
 protected:
  struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
  };
  static Pipe make_pipe() {
    std::array<int, 2> ends = {};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return {.read = FileDescriptor(ends[0]), .write = FileDescriptor(ends[1])};
  }
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }

  // Asks so often, and closes the input.
  void ask(int times) {
    for (int i = 0; i < times; ++i)
      ASSERT_EQ(::write(input_.write.get(), kListTools.data(), kListTools.size()), std::ssize(kListTools));
    input_.write = FileDescriptor();
  }
  std::future<Status> serve(std::chrono::milliseconds patience) {
    return std::async(std::launch::async, [this, patience] {
      return serve_stdio(features_, {.input = input_.read.get(), .output = output_.write.get(), .patience = patience});
    });
  }

  FakeFeatures features_;
  Pipe input_ = make_pipe();
  Pipe output_ = make_pipe();
};

TEST_F(StdioTest, EndsWithItsInputAlsoWhenNobodyReadsTheOutput) {
  ASSERT_GT(::fcntl(output_.write.get(), F_SETPIPE_SZ, 4096), 0);
  ask(100);
  std::future<Status> served = serve(std::chrono::milliseconds(50));
  const bool has_ended = served.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  output_.read = FileDescriptor();  // lets a server go that still waits
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(served.get().ok());
}

TEST_F(StdioTest, WhatIsReadSlowlyIsWholeAllTheSame) {
  ASSERT_GT(::fcntl(output_.write.get(), F_SETPIPE_SZ, 4096), 0);
  ask(100);
  std::future<Status> served = serve(std::chrono::seconds(20));
  std::string text;
  std::array<char, 512> piece = {};
  while (std::count(text.begin(), text.end(), '\n') < 100) {
    const ssize_t size = ::read(output_.read.get(), piece.data(), piece.size());
    ASSERT_GT(size, 0);
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  EXPECT_TRUE(served.get().ok());
  EXPECT_EQ(text.substr(0, text.find('\n')), text.substr(text.rfind('\n', text.size() - 2) + 1, text.find('\n')));
}

}  // namespace
}  // namespace loci::mcp
