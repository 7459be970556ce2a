// Chroma itself on the other side: what one writes the other reads, in any order, and after any death.
//
// LOCI_SOAK_SECONDS=N goes on for so long with kills and interleavings; LOCI_TEST_SEED repeats a run.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "store/chroma/catalog.h"
#include "store/chroma/folder_backend.h"
#include "store/chroma/folder_repair.h"
#include "tests/chroma/both_sides.h"
#include "tests/chroma/real_server.h"
#include "tests/crash/effort.h"

namespace loci::chroma_tests {
namespace {

class ChromaServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_server()) GTEST_SKIP() << "no Chroma server can be had here";
  }
  const unsigned seed_ = crash::test_seed();
  const testing::ScopedTrace trace_{__FILE__, __LINE__, crash::seed_trace(seed_)};
  const TemporaryFolder folder_;
  RealServer server_{folder_.path() / "server"};
};

TEST_F(ChromaServerTest, WhatChromaWroteLociReadsAlsoWhileItRuns) {
  server_.start();
  std::map<std::string, Expected> expected;
  for (const DistanceMetric metric : kMetrics) {
    const std::string name(to_string(metric));
    const ServerCollection collection = server_.create("c-" + name, metric, 400);  // persisted in part
    RandomRecords random(seed_);
    Expected& records = expected["c-" + name];
    for (int i = 0; i < 12; ++i) write_with_chroma(server_, collection, random, records, 150, 900);
    ASSERT_GT(records.size(), 0U);
  }
  const auto backend = make_chroma_folder_backend();
  for (const bool is_running : {true, false}) {
    if (!is_running) server_.stop();
    for (const DistanceMetric metric : kMetrics) {
      const std::string name = "c-" + std::string(to_string(metric));
      EXPECT_EQ(differences(expected[name], read_with_loci(*backend, server_.data(), name), metric), "") << name;
    }
    const auto collection = backend->collection(PalaceRef::at(server_.data()), "c-l2", {});
    ASSERT_TRUE(collection.ok()) << collection.error().message;
    const auto written = (*collection)->upsert(std::vector<Record>{{.id = "x", .embedding = Embedding(6, 1.0F)}});
    EXPECT_EQ(written.ok(), !is_running) << "a running Chroma must be noticed";
    if (!written.ok()) {
      EXPECT_EQ(written.error().kind, ErrorKind::busy);
    }
  }
}

TEST_F(ChromaServerTest, WhatLociWroteChromaReadsAndFinds) {
  server_.start();
  for (const DistanceMetric metric : kMetrics) server_.create("c-" + std::string(to_string(metric)), metric);
  server_.stop();
  std::map<std::string, Expected> expected;
  {
    const auto backend = make_chroma_folder_backend();
    for (const DistanceMetric metric : kMetrics) {
      const std::string name = "c-" + std::string(to_string(metric));
      const auto collection = backend->collection(PalaceRef::at(server_.data()), name, {});
      ASSERT_TRUE(collection.ok()) << collection.error().message;
      RandomRecords random(seed_ + 1);
      // More than Chroma takes into its index at once.
      const std::vector<Record> first = random.batch(1'300, 1'000'000);
      ASSERT_TRUE((*collection)->add(first).ok());
      for (const Record& record : first) expected[name].emplace(record.id, record);
      for (int i = 0; i < 10; ++i) write_with_loci(**collection, random, expected[name], 100, 500);
    }
  }
  server_.start();
  for (const ServerCollection& collection : server_.collections()) {
    const DistanceMetric metric = *std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](DistanceMetric each) {
      return collection.name == "c-" + std::string(to_string(each));
    });
    const Expected& records = expected[collection.name];
    EXPECT_EQ(server_.call("GET", "collections/" + collection.id + "/count"), records.size());
    EXPECT_EQ(differences(records, server_.get(collection), metric), "") << collection.name;
    if (metric == DistanceMetric::ip) continue;  // the nearest by that need not be the record itself
    const auto& [id, record] = *records.begin();
    const Json answer = server_.call("POST", "collections/" + collection.id + "/query",
                                     {{"query_embeddings", {*record.embedding}}, {"n_results", 1}});
    EXPECT_EQ(answer.at("ids")[0][0], id) << collection.name;
  }
}

// Adds of what was there and updates of what was not stay in the queue, with vectors that Chroma itself passed over.
TEST_F(ChromaServerTest, WhatChromaPassedOverIsNobodysWhereTheIndexIsLost) {
  server_.start();
  std::map<DistanceMetric, Expected> expected;
  for (const DistanceMetric metric : kMetrics) {
    const ServerCollection collection = server_.create("c-" + std::string(to_string(metric)), metric, 20);
    RandomRecords random(seed_);
    for (int i = 0; i < 30; ++i) write_with_chroma(server_, collection, random, expected[metric], 8, 40);
    const std::vector<Record> last = random.batch(30, 40);
    server_.call("POST", "collections/" + collection.id + "/add", request_body(last));
    for (const Record& record : last) expected[metric].emplace(record.id, record);
    const Record queued{.id = "queued", .document = "in the queue for certain", .embedding = random.vector()};
    server_.call("POST", "collections/" + collection.id + "/upsert", request_body({queued}));
    expected[metric].emplace(queued.id, queued);
  }
  server_.stop();
  std::vector<std::filesystem::path> indexes;
  for (const auto& entry : std::filesystem::directory_iterator(server_.data())) {
    if (entry.is_directory()) indexes.push_back(entry.path());
  }
  EXPECT_EQ(indexes.size(), std::size(kMetrics));
  for (const std::filesystem::path& index : indexes)
    std::filesystem::rename(index, index.string() + ".drift-20260101-000000");
  const auto backend = make_chroma_folder_backend();
  for (auto& [metric, records] : expected) {
    Expected found = read_with_loci(*backend, server_.data(), "c-" + std::string(to_string(metric)));
    EXPECT_EQ(found.size(), records.size());
    std::erase_if(records, [&](const auto& each) { return !found[each.first].embedding; });
    std::erase_if(found, [](const auto& each) { return !each.second.embedding; });
    EXPECT_EQ(differences(records, found, metric), "") << to_string(metric);
    EXPECT_TRUE(found.contains("queued"));
  }
}

// Each history is a collection, in which turns of Chroma and of Loci follow each other at random; all of them live in
// one folder, so that the server starts once per round and not once per turn.
TEST_F(ChromaServerTest, TwoHundredRandomInterleavingsOfBothAreEqualRecordByRecord) {
  constexpr std::size_t kHistories = 200;
  constexpr int kRounds = 3;
  struct History {
    ServerCollection collection = {};
    DistanceMetric metric = DistanceMetric::l2;
    RandomRecords random{0};
    Expected expected = {};
    std::string turns = {};
  };
  std::vector<History> histories;
  server_.start();
  for (std::size_t i = 0; i < kHistories; ++i) {
    History& history = histories.emplace_back(History{.metric = kMetrics[i % 3], .random = RandomRecords(seed_ + i)});
    // Some are persisted after every few writes, some never.
    history.collection = server_.create("history-" + std::to_string(i), history.metric, 2 + history.random.below(60));
  }
  std::size_t switches = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (!server_.is_running()) server_.start();
    for (History& history : histories) {
      if (!history.turns.empty()) {  // what Loci left is read before anything is written
        const Expected found = server_.get(history.collection);
        ASSERT_EQ(differences(history.expected, found, history.metric), "") << history.turns;
      }
      for (std::size_t turn = history.random.below(3); turn > 0; --turn) {
        write_with_chroma(server_, history.collection, history.random, history.expected, 20, 60);
        history.turns += 'C';
      }
    }
    server_.stop();
    const auto backend = make_chroma_folder_backend();
    for (History& history : histories) {
      const Expected found = read_with_loci(*backend, server_.data(), history.collection.name);
      ASSERT_EQ(differences(history.expected, found, history.metric), "") << history.turns;
      const auto collection = backend->collection(PalaceRef::at(server_.data()), history.collection.name, {});
      ASSERT_TRUE(collection.ok()) << collection.error().message;
      for (std::size_t turn = history.random.below(3); turn > 0; --turn) {
        write_with_loci(**collection, history.random, history.expected, 20, 60);
        history.turns += 'L';
      }
    }
  }
  server_.start();
  for (History& history : histories) {
    ASSERT_EQ(differences(history.expected, server_.get(history.collection), history.metric), "") << history.turns;
    for (std::size_t i = 1; i < history.turns.size(); ++i) switches += history.turns[i] != history.turns[i - 1] ? 1 : 0;
  }
  EXPECT_GT(switches, kHistories) << "the histories do not interleave";
}

// Kills the process as soon as a file of an index changes: while it is persisted.
class KillAtPersist {
 public:
  KillAtPersist(const std::filesystem::path& index, pid_t process, std::size_t changes)
      : notices_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), process_(process), changes_(changes) {
    ::inotify_add_watch(notices_.get(), index.c_str(), IN_MODIFY | IN_CREATE);
    watching_ = std::thread([this] { watch(); });
  }
  ~KillAtPersist() {
    is_over_ = true;
    watching_.join();
  }
  bool has_killed() const { return has_killed_; }

 private:
  void watch() {
    std::array<char, 4096> buffer{};
    while (!is_over_) {
      const ssize_t size = ::read(notices_.get(), buffer.data(), buffer.size());
      if (size <= 0) {
        std::this_thread::yield();
        continue;
      }
      for (ssize_t at = 0; at < size && changes_ > 0; --changes_) {
        const auto* notice = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        at += static_cast<ssize_t>(sizeof(inotify_event) + notice->len);
      }
      if (changes_ > 0) continue;
      has_killed_ = true;  // first: whoever sees the server die asks
      ::kill(process_, SIGKILL);
      return;
    }
  }

  FileDescriptor notices_;
  const pid_t process_;
  std::size_t changes_;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> has_killed_ = false;
  std::thread watching_;
};

std::filesystem::path index_folder(const std::filesystem::path& data) {
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.is_directory() && std::filesystem::exists(entry.path() / "header.bin")) return entry.path();
  }
  return {};
}

// Does the index contradict itself, as only an interrupted persist leaves it?
bool is_torn(const std::filesystem::path& index, DistanceMetric metric, std::size_t dimension) {
  const auto segment = chroma::SegmentFolder::open(index, {.metric = metric, .dimension = dimension});
  if (!segment.ok() || !*segment || (*segment)->is_fresh()) return false;
  if ((*segment)->pickle() != chroma::PickleState::whole) return true;
  return (*segment)->header() && (*segment)->header()->count != (*segment)->labels().total_elements_added;
}

TEST_F(ChromaServerTest, KilledInTheMiddleOfAPersistNothingAcknowledgedIsLost) {
  constexpr std::size_t kDimension = 64;
  crash::Effort effort(6);
  std::size_t torn = 0;
  std::size_t refused = 0;
  for (; !effort.is_enough(); effort.add()) {
    const TemporaryFolder folder;
    const DistanceMetric metric = kMetrics[static_cast<std::size_t>(effort.done()) % 3];
    RandomRecords random(seed_ + static_cast<std::uint64_t>(effort.done()), kDimension);
    RealServer server(folder.path());
    server.start();
    const ServerCollection collection = server.create("killed", metric, 500);
    const std::string path = "collections/" + collection.id + "/";
    Expected acknowledged;
    Expected sent;  // and perhaps stored
    std::string refusal;
    const auto write = [&] {
      const std::vector<Record> records = random.batch(60, 4'000);
      for (const Record& record : records) sent.insert_or_assign(record.id, record);
      const Result<Json> written = server.try_call("POST", path + "upsert", request_body(records));
      if (!written.ok()) refusal = written.error().message;
      if (!written.ok()) return false;
      for (const Record& record : records) {
        Metadata before = acknowledged[record.id].metadata;
        Record& there = acknowledged[record.id] = record;
        there.metadata.merge(before);
      }
      return true;
    };
    // The first persist makes the files; a later one is killed.
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(write());
    const std::filesystem::path index = index_folder(server.data());
    ASSERT_FALSE(index.empty());
    {
      // A watcher that gets little of the processor sees the changes of one file as one: then it takes more persists.
      const KillAtPersist kill(index, server.process(), 1 + random.below(200));
      for (int i = 0; i < 2'000 && !kill.has_killed() && write(); ++i) continue;
      ASSERT_TRUE(kill.has_killed()) << (refusal.empty() ? "nothing was persisted" : refusal);
    }
    server.kill();
    torn += is_torn(index, metric, kDimension) ? 1 : 0;

    // The batch that was under way is there as a whole or not at all; everything else is as acknowledged.
    const auto check = [&](const Expected& found, const char* who) {
      Expected whole = acknowledged;
      for (const auto& [id, record] : sent) {
        const auto other = found.find(id);
        if (other == found.end() || other->second.document != record.document) continue;
        whole.insert_or_assign(id, other->second);
        whole[id].document = record.document;
        whole[id].embedding = record.embedding;
      }
      EXPECT_EQ(differences(whole, found, metric), "") << who;
    };
    {
      const auto backend = make_chroma_folder_backend();
      check(read_with_loci(*backend, server.data(), "killed"), "Loci");
    }
    // Chroma itself may refuse the folder now, or worse; the repaired copy it must open.
    const auto report = chroma::repair_folder(server.data(), folder.path() / "repaired" / "data");
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->saved_in_part, 0U);
    RealServer again(folder.path() / "repaired");
    again.start();
    check(again.get(collection), "Chroma, repaired");
    again.stop();
    const bool is_usable = [&] {
      try {
        server.start();
        return server.try_call("GET", path + "count").ok();
      } catch (const std::runtime_error&) {
        return false;
      }
    }();
    refused += is_usable ? 0 : 1;
  }
  EXPECT_GT(torn, 0U) << "no kill hit a persist";
  effort.report("kills in a persist", std::to_string(torn) + " of the indexes torn, " + std::to_string(refused) +
                                          " refused by Chroma, 0 records lost");
}

}  // namespace
}  // namespace loci::chroma_tests
