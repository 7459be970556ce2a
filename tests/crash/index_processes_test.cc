// Four processes write and build the vector index while four others search: whatever was acknowledged before a query
// began is found by it.
#include <array>
#include <atomic>
#include <chrono>
#include <random>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/crash/child_process.h"
#include "tests/crash/index_workload.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

using namespace std::chrono_literals;

constexpr int kWriters = 4;
constexpr int kReaders = 4;
constexpr int kNumbersPerWriter = 1'000'000;

// Shared by all of them.
struct Board {
  std::array<std::atomic<int>, kWriters> acknowledged;  // records of each writer
  std::atomic<int> queries;
  std::atomic<int> missed;
  std::atomic<bool> is_over;
};

int run_writer(const PalaceRef& palace, int writer, Board& board) {
  const auto backend = make_embedded_backend(busy_index());
  const auto opened = backend->collection(palace, "drawers", {});
  if (!opened.ok()) return 1;
  for (int count = 0; !board.is_over; count += kIndexBatch) {
    if (!(*opened)->upsert(index_records(writer * kNumbersPerWriter + count)).ok()) return 2;
    board.acknowledged[static_cast<std::size_t>(writer)].store(count + kIndexBatch);
    if (!(*opened)->index_pending().ok()) return 3;
  }
  return 0;
}

int run_reader(const PalaceRef& palace, int reader, Board& board) {
  const auto backend = make_embedded_backend(busy_index());
  const auto opened = backend->collection(palace, "drawers", {});
  if (!opened.ok()) return 1;
  std::mt19937 random(static_cast<unsigned>(reader));
  while (!board.is_over) {
    const int writer = static_cast<int>(random() % kWriters);
    const int count = board.acknowledged[static_cast<std::size_t>(writer)].load();
    if (count == 0) continue;
    // Often the newest one.
    const int within = random() % 2 == 0 ? count - 1 : static_cast<int>(random() % static_cast<unsigned>(count));
    const int number = writer * kNumbersPerWriter + within;
    const auto found = (*opened)->query({.embeddings = {index_vector(number)}, .n_results = 5});
    if (!found.ok()) return 2;
    const std::string id = "n" + std::to_string(number);
    const bool is_there =
        std::any_of(found->hits[0].begin(), found->hits[0].end(), [&](const Hit& hit) { return hit.record.id == id; });
    if (!is_there) ++board.missed;
    ++board.queries;
  }
  return 0;
}

TEST(IndexProcessesTest, WhatWasAcknowledgedBeforeAQueryBeganIsFound) {
  const TemporaryFolder folder = fast_folder();
  const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
  ASSERT_TRUE(make_embedded_backend()->collection(palace, "drawers", {.if_missing = IfMissing::create}).ok());
  void* const shared = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Board& board = *new (shared) Board();
  {
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (int i = 0; i < kWriters; ++i)
      children.push_back(std::make_unique<ChildProcess>([&, i] { return run_writer(palace, i, board); }));
    for (int i = 0; i < kReaders; ++i)
      children.push_back(std::make_unique<ChildProcess>([&, i] { return run_reader(palace, i, board); }));
    ::usleep(3'000'000);
    board.is_over = true;
    for (const auto& child : children) EXPECT_TRUE(child->wait());
  }
  EXPECT_EQ(board.missed, 0);
  EXPECT_GT(board.queries, 20);
  std::cout << "tried: " << board.queries << " searches beside four writers, " << board.missed << " incomplete\n";
  ::munmap(shared, sizeof(Board));
}

}  // namespace
}  // namespace loci::crash
