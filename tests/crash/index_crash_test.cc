// Builders of the vector index are killed and lose their power, and its files are damaged and cut off. Searches find
// every acknowledged record all the same, and the next builder makes good what is missing.
#include <random>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/crash/child_process.h"
#include "tests/crash/effort.h"
#include "tests/crash/index_workload.h"
#include "tests/crash/power_loss.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

// Adds batches from `first` on and indexes them, with some erased on the way; returns how many records were
// acknowledged. `say` hears of each batch.
template <typename Say>
int write_and_index(const PalaceRef& palace, const embedded::IndexOptions& options, int first, int batches,
                    const Say& say) {
  const auto backend = make_embedded_backend(options);
  const auto opened = backend->collection(palace, "drawers", {.if_missing = IfMissing::create});
  if (!opened.ok()) return first;
  int acknowledged = first;
  for (int batch = 0; batch < batches; ++batch) {
    if (!(*opened)->upsert(index_records(acknowledged)).ok()) break;
    acknowledged += kIndexBatch;
    say(acknowledged);
    if (!(*opened)->index_pending().ok()) break;
    if (!(*opened)->index_pending().ok()) break;  // the step after it may sort a segment into lists
    // A record that is written anew leaves its old slot dead.
    if (!(*opened)->upsert(index_records(batch % std::max(1, acknowledged - 1), 1)).ok()) break;
  }
  return acknowledged;
}

std::vector<std::filesystem::path> segment_files(const PalaceRef& palace) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(*palace.local_path / "index", failure))
    files.push_back(entry.path());
  return files;
}

// After a build nothing is left of what died, and the index is in use.
void expect_mended(const PalaceRef& palace, int count) {
  {
    const auto backend = make_embedded_backend(busy_index());
    const auto opened = backend->collection(palace, "drawers", {});
    ASSERT_TRUE(opened.ok());
    ASSERT_TRUE((*opened)->upsert(index_records(0)).ok());
    const auto built = (*opened)->index_pending();
    ASSERT_TRUE(built.ok()) << built.error().message;
    const Metadata state = *backend->maintenance_state(palace, Access::read_write);
    EXPECT_EQ(state.at("vector_index"), MetadataValue("segments"));
    EXPECT_EQ(state.at("vector_segments"), MetadataValue(static_cast<std::int64_t>(segment_files(palace).size())));
    EXPECT_TRUE(backend->upkeep()->verify(palace, VerifyDepth::deep)->findings.empty());
  }
  EXPECT_EQ(index_violations(palace, count, busy_index()), std::vector<std::string>());
}

TEST(IndexCrashTest, KilledBuildersLoseNothing) {
  constexpr std::int64_t kKills = 25;
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  const TemporaryFolder folder = fast_folder();
  const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
  // What a child acknowledged, seen by its parent.
  auto* const acknowledged = static_cast<std::atomic<int>*>(
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(acknowledged, MAP_FAILED);
  acknowledged->store(write_and_index(palace, busy_index(), 0, 3, [](int) {}));
  Effort kills(kKills);
  for (; !kills.is_enough(); kills.add()) {
    if (acknowledged->load() > 1500) break;  // larger ones only make the checks slow
    {
      ChildProcess child([&] {
        write_and_index(palace, busy_index(), acknowledged->load(), 1000,
                        [&](int count) { acknowledged->store(count); });
        return 0;
      });
      ::usleep(static_cast<useconds_t>(random() % 60'000));
      ASSERT_TRUE(child.kill());
    }
    if (kills.done() % 5 == 0) {
      ASSERT_EQ(index_violations(palace, acknowledged->load(), busy_index()), std::vector<std::string>());
    }
  }
  expect_mended(palace, acknowledged->load());
  kills.report("kills of index builders", std::to_string(acknowledged->load()) + " records, 0 not found");
  ::munmap(acknowledged, sizeof(std::atomic<int>));
}

TEST(IndexCrashTest, BuildersWithoutPowerLoseNothing) {
  constexpr std::int64_t kPoints = 60;
  constexpr int kBatches = 6;
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  std::int64_t operations = 0;
  {
    const TemporaryFolder folder = fast_folder();
    PowerLossDisk disk;
    write_and_index(PalaceRef::at(folder.path() / "palace"), busy_index(PowerLossDisk::files()), 0, kBatches,
                    [](int) {});
    operations = disk.operations();
  }
  ASSERT_GT(operations, 100);
  Effort points(kPoints);
  for (; !points.is_enough(); points.add()) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef survivor = PalaceRef::at(folder.path() / "survivor");
    int count = 0;
    const auto point = static_cast<std::int64_t>(random() % static_cast<unsigned>(operations)) + 1;
    {
      PowerLossDisk disk;
      disk.fail_at(point);
      count = write_and_index(PalaceRef::at(folder.path() / "palace"), busy_index(PowerLossDisk::files()), 0, kBatches,
                              [](int) {});
      ASSERT_TRUE(disk.has_failed());
      const auto survivors = static_cast<Survivors>(points.done() % 4);
      ASSERT_TRUE(disk.write_survivors(survivors, random, folder.path() / "palace", *survivor.local_path).ok());
    }
    if (count == 0) continue;
    ASSERT_EQ(index_violations(survivor, count, busy_index()), std::vector<std::string>()) << "at " << point;
    const auto verified = make_embedded_backend()->upkeep()->verify(survivor, VerifyDepth::deep);
    ASSERT_TRUE(verified.ok());
    EXPECT_TRUE(verified->findings.empty()) << "at " << point << ": " << verified->findings.front().detail;
    if (points.done() % 10 == 0) expect_mended(survivor, count);
  }
  points.report("power losses while indexing", "every record found");
}

// The test can fail: with a disk that ignores syncs, published segments are torn, and verify says so.
TEST(IndexCrashTest, WithoutSyncsTornSegmentsAreNoticed) {
  std::mt19937 random(1);
  int noticed = 0;
  for (int round = 0; round < 10 && noticed == 0; ++round) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
    PowerLossDisk disk(Syncs::ignored);
    write_and_index(palace, busy_index(PowerLossDisk::files()), 0, 4, [](int) {});
    // The database as it is, the files of the index as a power loss leaves them.
    ASSERT_TRUE(disk.write_survivors(Survivors::sectors, random, *palace.local_path, folder.path() / "survivor").ok());
    for (const std::filesystem::path& file : segment_files(palace)) {
      std::error_code failure;
      std::filesystem::copy_file(folder.path() / "survivor" / "index" / file.filename(), file,
                                 std::filesystem::copy_options::overwrite_existing, failure);
    }
    const auto verified = make_embedded_backend()->upkeep()->verify(palace, VerifyDepth::deep);
    if (verified.ok() && !verified->findings.empty()) ++noticed;
    EXPECT_EQ(index_violations(palace, 4 * kIndexBatch, busy_index()), std::vector<std::string>());
  }
  EXPECT_GT(noticed, 0);
}

TEST(IndexCrashTest, DamagedSegmentsGiveTheExactAnswer) {
  constexpr std::int64_t kDamages = 40;
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  const TemporaryFolder folder = fast_folder();
  const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
  const int count = write_and_index(palace, busy_index(), 0, 8, [](int) {});
  const std::vector<std::filesystem::path> files = segment_files(palace);
  ASSERT_FALSE(files.empty());
  std::int64_t noticed = 0;
  Effort damages(kDamages);
  for (; !damages.is_enough(); damages.add()) {
    const std::filesystem::path& file = files[random() % files.size()];
    const std::string whole = *read_file(file);
    std::string bytes = whole;
    const std::size_t at = random() % bytes.size();
    if (damages.done() % 3 == 0) {
      bytes.resize(at);
    } else if (damages.done() % 3 == 1) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    } else {
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 512)), '\0');
    }
    ASSERT_TRUE(write_file_atomically(file, bytes).ok());
    EXPECT_EQ(index_violations(palace, count, busy_index()), std::vector<std::string>());
    const auto verified = make_embedded_backend()->upkeep()->verify(palace, VerifyDepth::deep);
    ASSERT_TRUE(verified.ok());
    noticed += verified->findings.empty() ? 0 : 1;
    EXPECT_TRUE(!verified->findings.empty() || bytes == whole);
    ASSERT_TRUE(write_file_atomically(file, whole).ok());
  }
  EXPECT_GT(noticed, kDamages / 2);
  damages.report("damaged segments", std::to_string(noticed) + " noticed, every record found");
}

TEST(IndexCrashTest, SegmentsCutOffUnderAReaderGiveTheExactAnswer) {
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
    write_and_index(palace, busy_index(), 0, 8, [](int) {});
    const auto backend = make_embedded_backend(busy_index());
    const auto opened = backend->collection(palace, "drawers", {});
    ASSERT_TRUE(opened.ok());
    const QueryRequest request{.embeddings = {index_vector(5)}, .n_results = 3};
    const auto before = (*opened)->query(request);
    ASSERT_TRUE(before.ok());
    for (const std::filesystem::path& file : segment_files(palace)) {
      const auto size = static_cast<off_t>(random() % std::filesystem::file_size(file));
      ASSERT_EQ(::truncate(file.c_str(), size), 0);
    }
    const auto after = (*opened)->query(request);
    ASSERT_TRUE(after.ok()) << after.error().message;
    EXPECT_EQ(after->hits, before->hits);
    EXPECT_EQ(backend->maintenance_state(palace, Access::read_write)->at("vector_index"), MetadataValue("unusable"));
    ASSERT_TRUE((*opened)->index_pending().ok());
    EXPECT_EQ(backend->maintenance_state(palace, Access::read_write)->at("vector_index"), MetadataValue("segments"));
  }
}

}  // namespace
}  // namespace loci::crash
