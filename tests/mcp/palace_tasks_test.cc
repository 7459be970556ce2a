// What takes long becomes a task for clients that know tasks: mine, and migrate behind the door.
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tests/mcp/palace_test.h"

namespace loci::mcp {
namespace {

namespace fs = std::filesystem;

class PalaceTasksTest : public PalaceTest {
 protected:
  fs::path notes(int files) const {
    for (int i = 0; i < files; ++i)
      write("notes/" + std::to_string(i) + ".md", "Lighthouse number " + std::to_string(i));
    return folder_.path() / "notes";
  }

  static std::string begin(Client& client, const std::string& tool, Json arguments) {
    const Json begun = client.modern("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}})["result"];
    EXPECT_EQ(begun["resultType"], "task") << begun;
    return begun["taskId"].get<std::string>();
  }
  static Json wait_for_end(Client& client, const std::string& task) {
    Json state;
    for (int i = 0; i < 4000; ++i) {
      state = client.modern("tasks/get", {{"taskId", task}})["result"];
      if (state["status"] != "working") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return state;
  }
};

TEST_F(PalaceTasksTest, MineIsATask) {
  Client client(palace());
  const Json state = wait_for_end(client, begin(client, "loci_mine", {{"path", notes(3).string()}}));
  EXPECT_EQ(state["status"], "completed") << state;
  EXPECT_EQ(state["result"]["structuredContent"]["files"], 3) << state;
  EXPECT_EQ(client.call("loci_status")["structuredContent"]["drawers"], 3);
}

TEST_F(PalaceTasksTest, ACancelledMineStopsAndWhatItStoredStays) {
  constexpr int kFiles = 3000;
  Client client(palace());
  const std::string task = begin(client, "loci_mine", {{"path", notes(kFiles).string()}});
  EXPECT_TRUE(client.modern("tasks/cancel", {{"taskId", task}}).contains("result"));
  EXPECT_EQ(wait_for_end(client, task)["status"], "cancelled");
  EXPECT_LT(client.call("loci_status")["structuredContent"]["drawers"], kFiles);
}

// Begun, and cancelled while it works: nothing of it is left.
TEST_F(PalaceTasksTest, ACancelledBackupLeavesNothing) {
  constexpr int kFiles = 3000;
  Client client(palace());
  ASSERT_EQ(wait_for_end(client, begin(client, "loci_mine", {{"path", notes(kFiles).string()}}))["status"],
            "completed");
  const fs::path out = folder_.path() / "out";
  fs::create_directory(out);
  const Json arguments = {{"operation", "backup"}, {"arguments", {{"file", (out / "copy.loci").string()}}}};
  const std::string task = begin(client, "loci_do", arguments);
  while (fs::is_empty(out)) std::this_thread::yield();
  EXPECT_FALSE(fs::exists(out / "copy.loci")) << "it was done already, so nothing is tested";
  EXPECT_TRUE(client.modern("tasks/cancel", {{"taskId", task}}).contains("result"));
  EXPECT_EQ(wait_for_end(client, task)["status"], "cancelled");
  for (int i = 0; i < 4000 && !fs::is_empty(out); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(fs::is_empty(out));
}

TEST_F(PalaceTasksTest, MigrateIsATask) {
  const fs::path old = folder_.path() / "old";
  {
    SessionOptions options = session_options(old);
    options.sources.flags.embed = "now";
    Client writer(std::move(options));
    writer.call("loci_add", {{"document", "We chose GraphQL for the app"}, {"wing", "shop"}, {"room", "api"}});
  }
  Client client(palace());
  const Json arguments = {{"operation", "migrate"}, {"arguments", {{"source", old.string()}}}};
  const Json state = wait_for_end(client, begin(client, "loci_do", arguments));
  EXPECT_EQ(state["status"], "completed") << state;
  EXPECT_EQ(state["result"]["structuredContent"]["records"], 1) << state;
  EXPECT_EQ(client.call("loci_search", {{"query", "GraphQL"}})["structuredContent"]["hits"].size(), 1U);
}

TEST_F(PalaceTasksTest, WhatIsQuickIsAnsweredAtOnceAlsoForClientsThatKnowTasks) {
  Client client(palace());
  const Json added = client.modern("tools/call", {{"name", "loci_add"}, {"arguments", {{"document", "one"}}}});
  EXPECT_EQ(added["result"]["resultType"], "complete") << added;
  EXPECT_FALSE(added["result"].contains("taskId"));
}

}  // namespace
}  // namespace loci::mcp
