// The power goes at write points of every operation: making the palace, writing, moving the log into the file, opening
// again. Whatever part of the unsynced data is on the disk afterwards, every acknowledged write must be there.
#include "tests/crash/power_loss.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "store/embedded/embedded_backend.h"
#include "tests/crash/effort.h"
#include "tests/crash/palace_check.h"
#include "tests/crash/workload.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kSteps = 30;
constexpr std::int64_t kReopenEvery = 7;  // closing moves the log into the file
constexpr std::int64_t kPoints = 300;
constexpr std::int64_t kEveryPointUpTo = 60;  // the palace is made here
constexpr int kWorker = 0;

struct Run {
  bool created = false;           // the palace and its collection were acknowledged
  std::int64_t acknowledged = 0;  // steps
  std::int64_t operations = 0;
};

// Runs the workload until it is done or the power is gone.
Run run_until_failure(PowerLossDisk& disk, const PalaceRef& palace, Defect defect) {
  Run run;
  std::unique_ptr<Backend> backend;
  std::shared_ptr<Collection> collection;
  while (run.acknowledged < kSteps) {
    if (run.acknowledged % kReopenEvery == 0 || collection == nullptr) {
      collection.reset();
      backend = make_embedded_backend();
      auto opened = backend->collection(palace, "drawers", {.if_missing = IfMissing::create});
      if (!opened.ok()) break;
      collection = *opened;
      run.created = true;
    }
    if (!Step(kWorker, run.acknowledged, defect).run(*backend, palace, *collection).ok()) break;
    ++run.acknowledged;
  }
  collection.reset();
  backend.reset();
  run.operations = disk.operations();
  return run;
}

// What is wrong with the palace after the power is back; empty when nothing is.
std::vector<std::string> violations(const Run& run, const PalaceRef& palace) {
  const Result<Held> held = read_palace(palace);
  if (!held.ok()) {
    const ErrorKind kind = held.error().kind;
    const bool is_absent = kind == ErrorKind::palace_not_found || kind == ErrorKind::collection_not_initialized;
    if (!run.created && is_absent) return {};
    return {held.error().message};
  }
  State before;
  for (std::int64_t step = 0; step < run.acknowledged; ++step) Step(kWorker, step).apply_to(before);
  State after = before;
  Step(kWorker, run.acknowledged).apply_to(after);
  if (held->state != before && held->state != after) {
    return {"after " + std::to_string(run.acknowledged) + " acknowledged steps something is lost or half there"};
  }
  for (std::int64_t step = 0; step < run.acknowledged; ++step) {
    if (Step(kWorker, step).kind() != StepKind::ingest) continue;
    if (!held->shared.contains(shared_text(static_cast<int>(step % kSharedTexts)))) return {"an ingested text is lost"};
  }
  return inconsistencies(palace);
}

// Every operation of making the palace, and about `points` of the others.
std::vector<std::int64_t> failure_points(std::int64_t operations, std::int64_t points, std::mt19937& random) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t at = 1; at <= std::min(operations, kEveryPointUpTo); ++at) chosen.push_back(at);
  const std::int64_t stride = std::max<std::int64_t>(1, operations / points);
  const auto offset = static_cast<std::int64_t>(random() % static_cast<unsigned>(stride));
  for (std::int64_t at = kEveryPointUpTo + 1 + offset; at <= operations; at += stride) chosen.push_back(at);
  return chosen;
}

// The power goes at about `points` places of the run, each with every kind of survivors. How many of them went wrong?
struct Outcome {
  std::int64_t points = 0;
  int failed = 0;
  std::string first_violation;
};
Outcome lose_power(Syncs syncs, Defect defect, std::int64_t points, unsigned seed) {
  std::int64_t operations = 0;
  {
    const TemporaryFolder folder = fast_folder();
    PowerLossDisk disk(syncs);
    const Run whole = run_until_failure(disk, PalaceRef::at(folder.path() / "palace"), defect);
    EXPECT_EQ(whole.acknowledged, kSteps);
    operations = whole.operations;
  }
  Outcome outcome;
  std::mt19937 random(seed);
  for (const std::int64_t at : failure_points(operations, points, random)) {
    const TemporaryFolder folder = fast_folder();
    Run run;
    {
      PowerLossDisk disk(syncs);
      disk.fail_at(at);
      run = run_until_failure(disk, PalaceRef::at(folder.path() / "palace"), defect);
      EXPECT_TRUE(disk.has_failed()) << "the power must go, or nothing was tried";
      for (const Survivors survivors : {Survivors::none, Survivors::all, Survivors::some, Survivors::sectors}) {
        const std::filesystem::path target = folder.path() / std::to_string(static_cast<int>(survivors));
        EXPECT_TRUE(disk.write_survivors(survivors, random, folder.path() / "palace", target).ok());
      }
    }
    ++outcome.points;
    for (int survivors = 0; survivors < 4; ++survivors) {
      const auto found = violations(run, PalaceRef::at(folder.path() / std::to_string(survivors)));
      if (found.empty()) continue;
      ++outcome.failed;
      if (outcome.first_violation.empty()) {
        outcome.first_violation = "power lost at operation " + std::to_string(at) + ", survivors " +
                                  std::to_string(survivors) + ": " + found.front();
      }
    }
  }
  return outcome;
}

TEST(PowerLossTest, NoAcknowledgedWriteIsLostAtAnyPoint) {
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  Effort points(kPoints);
  while (!points.is_enough()) {
    const Outcome outcome = lose_power(Syncs::honest, Defect::none, kPoints, static_cast<unsigned>(random()));
    ASSERT_GT(outcome.points, 0);
    ASSERT_EQ(outcome.failed, 0) << outcome.first_violation;
    points.add(outcome.points);
  }
  points.report("points of power loss", "each with four kinds of what survives, 0 writes lost");
}

// The harness can fail: when syncs do nothing, as with synchronous=OFF, acknowledged writes are lost.
TEST(PowerLossTest, WithoutSyncsTheHarnessFindsLostWrites) {
  EXPECT_GT(lose_power(Syncs::ignored, Defect::none, 40, 1).failed, 0);
}

TEST(PowerLossTest, ATransactionTakenApartIsFoundHalfWritten) {
  EXPECT_GT(lose_power(Syncs::honest, Defect::transaction_taken_apart, 100, 1).failed, 0);
}

}  // namespace
}  // namespace loci::crash
