// B8: many threads, many palaces, many handles on one palace.
#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

constexpr int kThreads = 4;

class ThreadTest : public BackendFixture {
 protected:
  // Runs the work in several threads, each with its number; all of them start as one.
  template <typename Work>
  static void run_in_threads(const Work& work) {
    std::atomic<int> ready = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        try {
          work(i);
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_P(ThreadTest, B8_PalacesAreOpenedAtOnce) {
  run_in_threads([&](int i) {
    for (int round = 0; round < 5; ++round) {
      const PalaceRef own = palace("palace" + std::to_string((i + round) % kThreads));
      const auto opened = backend().collection(own, "drawers", {.if_missing = IfMissing::create});
      ASSERT_TRUE(ok(opened));
      const std::string id = std::to_string(i) + "-" + std::to_string(round);
      EXPECT_TRUE(ok((*opened)->add(std::vector{record(id)})));
    }
  });
  std::size_t records = 0;
  for (int i = 0; i < kThreads; ++i) records += value(make_collection(palace("palace" + std::to_string(i)))->count());
  EXPECT_EQ(records, static_cast<std::size_t>(kThreads * 5));
}

TEST_P(ThreadTest, B8_OnePalaceIsCreatedOnceByMany) {
  run_in_threads([&](int i) {
    const auto opened = backend().collection(palace(), "drawers", {.if_missing = IfMissing::create});
    ASSERT_TRUE(ok(opened));
    EXPECT_TRUE(ok((*opened)->add(std::vector{record(std::to_string(i))})));
  });
  EXPECT_EQ(value(make_collection(palace())->count()), static_cast<std::size_t>(kThreads));
  std::atomic<int> created = 0;
  run_in_threads([&](int) {
    const auto made = backend().create_collection(palace(), "once", {});
    if (made.ok()) {
      ++created;
    } else {
      EXPECT_EQ(made.error().kind, ErrorKind::already_exists);
    }
  });
  EXPECT_EQ(created, 1);
}

TEST_P(ThreadTest, B8_OneCollectionIsWrittenAndReadByMany) {
  const auto collection = make_collection(palace());
  constexpr int kBatches = 10;
  run_in_threads([&](int i) {
    for (int batch = 0; batch < kBatches; ++batch) {
      const std::string id = std::to_string(i) + "-" + std::to_string(batch);
      ASSERT_TRUE(ok(collection->add(std::vector{record(id + "a", id), record(id + "b", id)})));
      const auto count = collection->count();
      ASSERT_TRUE(ok(count));
      EXPECT_EQ(*count % 2, 0U) << "a batch is seen whole or not at all";
      ASSERT_TRUE(ok(collection->query({.embeddings = {{1, 0}}, .n_results = 3})));
      if (batch % 3 == 0) {
        EXPECT_EQ(value(collection->erase({.ids = {{id + "a", id + "b"}}})), 2U);
      }
    }
  });
  EXPECT_EQ(value(collection->count()), static_cast<std::size_t>(kThreads * (kBatches - 4) * 2));
}

TEST_P(ThreadTest, B8_TwoBackendsWriteOneCollection) {
  make_collection(palace());
  std::vector<std::shared_ptr<Collection>> handles;
  for (int i = 0; i < kThreads; ++i) handles.push_back(value(another_backend().collection(palace(), "drawers", {})));
  constexpr int kIds = 10;
  std::array<std::array<bool, kIds>, kThreads> stored{};  // by whom, what; each thread has a row of its own
  const auto add = [&](int i, int n) {
    return handles[static_cast<std::size_t>(i)]->add(
        std::vector{record("id" + std::to_string(n), std::to_string(i), {1, static_cast<float>(i)})});
  };
  run_in_threads([&](int i) {
    for (int n = 0; n < kIds; ++n) {
      const auto added = add(i, n);
      stored.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(n)) = added.ok();
      if (!added.ok()) {
        EXPECT_EQ(added.error().kind, ErrorKind::already_exists) << added.error().message;
      }
    }
  });
  EXPECT_EQ(value(handles[0]->count()), static_cast<std::size_t>(kIds));
  for (int n = 0; n < kIds; ++n) {
    const auto writers = std::count_if(stored.begin(), stored.end(),
                                       [&](const auto& row) { return row.at(static_cast<std::size_t>(n)); });
    if (GetParam().one_add_wins) {
      EXPECT_EQ(writers, 1) << "each id is stored by exactly one of them";
    }
    const Record kept = get_one(*handles[0], "id" + std::to_string(n));
    const std::size_t writer = std::stoul(kept.document);
    EXPECT_TRUE(stored.at(writer).at(static_cast<std::size_t>(n))) << "the one that stored it was told so";
    EXPECT_EQ(error_kind(add(n % kThreads, n)), ErrorKind::already_exists) << "all of them see it afterwards";
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ThreadTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
