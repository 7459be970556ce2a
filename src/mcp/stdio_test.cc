#include "mcp/stdio.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <future>
#include <string>
#include <string_view>
#include <thread>

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

TEST_F(StdioTest, ACancellationBehindTooManyRequestsIsHeard) {
  const auto call = [](int id, const std::string& tool) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" + tool +
           R"(","arguments":{}}})" + "\n";
  };
  features_.is_held_up = true;
  std::future<Status> served = serve(std::chrono::milliseconds(50));
  const auto send = [this](std::string_view rest) {
    while (!rest.empty()) {
      const ssize_t written = ::write(input_.write.get(), rest.data(), rest.size());
      ASSERT_GT(written, 0);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  send(call(0, "toil"));
  for (int i = 0; i < 2000 && features_.waiting == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(features_.waiting, 1);
  for (int i = 1; i <= 2000; ++i) send(call(i, "echo"));
  send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":0}}\n");
  for (int i = 0; i < 2000 && features_.cancelled == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(features_.cancelled, 1);
  features_.is_held_up = false;
  features_.released = true;
  output_.read = FileDescriptor();
  input_.write = FileDescriptor();
  EXPECT_TRUE(served.get().ok());
}

TEST_F(StdioTest, WhateverIsSentAtOnceIsAnswered) {
  constexpr int kRequests = 3000;
  features_.is_held_up = true;
  std::future<Status> served = serve(std::chrono::seconds(20));
  std::future<void> asked = std::async(std::launch::async, [this] {
    for (int i = 0; i < kRequests; ++i) {
      const std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                               R"(,"method":"tools/call","params":{"name":"echo","arguments":{}}})" + "\n";
      EXPECT_EQ(::write(input_.write.get(), line.data(), line.size()), std::ssize(line));
    }
    input_.write = FileDescriptor();
  });
  // As long as a server needs that reads on.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  features_.is_held_up = false;
  std::string text;
  std::array<char, 65'536> piece = {};
  const auto answers = [&] { return std::count(text.begin(), text.end(), '\n'); };
  while (answers() < 2 * kRequests) {  // each with a message for the log
    const ssize_t size = ::read(output_.read.get(), piece.data(), piece.size());
    ASSERT_GT(size, 0);
    text.append(piece.data(), static_cast<std::size_t>(size));
    if (text.find("\"error\"") != std::string::npos) break;
  }
  EXPECT_EQ(text.find("\"error\""), std::string::npos);
  output_.read = FileDescriptor();
  asked.get();
  EXPECT_TRUE(served.get().ok());
}

}  // namespace
}  // namespace loci::mcp
