// Miners that are killed at random moments, and several at once: in the end there are exactly the drawers of one clean
// run.
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "ingest/mine.h"
#include "store/embedded/embedded_backend.h"
#include "tests/crash/child_process.h"
#include "tests/crash/effort.h"
#include "tests/crash/palace_check.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr int kFiles = 60;
constexpr int kMiners = 6;
constexpr std::int64_t kKills = 60;

Status mine_into(const PalaceRef& palace, const std::filesystem::path& project) {
  const auto backend = make_embedded_backend();
  const std::shared_ptr<Collection> drawers =
      TRY(backend->collection(palace, "drawers", {.if_missing = IfMissing::create}));
  TRY(mine(drawers.get(), {.path = project, .now_unix_ms = 1},
           {.progress = [](const MineProgress&) {}, .is_cancelled = [] { return false; }}));
  return {};
}

// By id: the text and all metadata but those that differ from run to run.
std::map<std::string, std::pair<std::string, Metadata>> content_of(const PalaceRef& palace) {
  const auto backend = make_embedded_backend();
  std::map<std::string, std::pair<std::string, Metadata>> content;
  for (Record& record : *(*backend->collection(palace, "drawers", {}))->get({}))
    content[record.id] = {std::move(record.document), std::move(record.metadata)};
  return content;
}

class MineKillTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(project());
    for (int file = 0; file < kFiles; ++file) write(file, "");
    EXPECT_TRUE(mine_into(clean(), project()).ok());
  }

  std::filesystem::path project() const { return folder_.path() / "project"; }
  PalaceRef clean() const { return PalaceRef::at(folder_.path() / "clean"); }
  PalaceRef palace() const { return PalaceRef::at(folder_.path() / "palace"); }

  void write(int file, const std::string& first_line) const {
    std::ofstream out(project() / ("file" + std::to_string(file) + ".txt"));
    out << first_line;
    for (int line = 0; line < 200; ++line)
      out << "File " << file << " says in its line " << line << " what no other line says.\n"
          << (line % 9 == 0 ? "\n" : "");
  }

  const TemporaryFolder folder_ = fast_folder();
};

TEST_F(MineKillTest, KilledAnywhereAndRunAgainThereAreTheDrawersOfOneRun) {
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  Effort kills(kKills);
  for (int palaces = 0; !kills.is_enough(); ++palaces) {
    ASSERT_LT(palaces, 200) << "the miners are never killed in time";
    for (int round = 0; round < 10; ++round) {
      ChildProcess miner([&] { return mine_into(palace(), project()).ok() ? 0 : 1; });
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
      ASSERT_TRUE(miner.kill());
      kills.add(miner.was_killed() ? 1 : 0);
    }
    ASSERT_TRUE(mine_into(palace(), project()).ok());
    ASSERT_EQ(content_of(palace()), content_of(clean()));
    ASSERT_EQ(inconsistencies(palace()), std::vector<std::string>());
    std::filesystem::remove_all(folder_.path() / "palace");
  }
  kills.report("kills of miners", "each followed by a run that left the drawers of one clean run");
}

TEST_F(MineKillTest, SixMinersAtOnceLeaveTheDrawersOfOne) {
  for (const char* first_line : {"", "A line that was put at the top.\n\n"}) {
    for (int file = 0; file < kFiles; ++file) write(file, first_line);
    std::vector<std::unique_ptr<ChildProcess>> miners;
    for (int i = 0; i < kMiners; ++i)
      miners.push_back(std::make_unique<ChildProcess>([&] { return mine_into(palace(), project()).ok() ? 0 : 1; }));
    for (const auto& miner : miners) EXPECT_TRUE(miner->wait());
    ASSERT_TRUE(mine_into(clean(), project()).ok());
    EXPECT_EQ(content_of(palace()), content_of(clean()));
    EXPECT_EQ(inconsistencies(palace()), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace loci::crash
