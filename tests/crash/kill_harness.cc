#include "tests/crash/kill_harness.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "store/embedded/embedded_backend.h"

namespace loci::crash {
namespace {

constexpr int kAtOnceOneIn = 4;             // one round in so many kills all workers at the same moment
constexpr unsigned kLongestRunUs = 20'000;  // between two kills

std::string worker_name(std::size_t worker) { return "worker " + std::to_string(worker); }

}  // namespace

KillHarness::KillHarness(PalaceRef palace, int workers, Defect defect)
    : palace_(std::move(palace)),
      defect_(defect),
      next_(static_cast<std::size_t>(workers), 0),
      expected_(static_cast<std::size_t>(workers)) {}

std::int64_t KillHarness::acknowledged() const { return std::accumulate(next_.begin(), next_.end(), std::int64_t{0}); }

std::int64_t KillHarness::fewest_acknowledged() const { return *std::min_element(next_.begin(), next_.end()); }

KillHarness::Workers KillHarness::start() const {
  Workers workers;
  for (std::size_t worker = 0; worker < next_.size(); ++worker)
    workers.push_back(std::make_unique<WorkerProcess>(palace_, static_cast<int>(worker), next_[worker], defect_));
  return workers;
}

std::vector<std::string> KillHarness::kill_round(std::mt19937& random) {
  const Workers workers = start();
  std::vector<Progress> progress(workers.size());
  std::vector<std::string> wrong;
  const bool at_once = random() % kAtOnceOneIn == 0;
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    if (worker == 0 || !at_once) std::this_thread::sleep_for(std::chrono::microseconds(random() % kLongestRunUs));
    if (!workers[worker]->kill_and_collect(progress[worker]))
      wrong.push_back(worker_name(worker) + " ended by something else than the kill");
    ++kills_;
  }
  if (!wrong.empty()) return wrong;
  return settle(progress);
}

std::vector<std::string> KillHarness::quiet_round(std::chrono::milliseconds duration) {
  const Workers workers = start();
  std::this_thread::sleep_for(duration);
  std::vector<Progress> progress(workers.size());
  std::vector<std::string> wrong;
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    if (!workers[worker]->stop_and_collect(progress[worker])) wrong.push_back(worker_name(worker) + " failed");
  }
  if (!wrong.empty()) return wrong;
  return settle(progress);
}

std::vector<std::string> KillHarness::settle(const std::vector<Progress>& progress) {
  const Result<Held> held = read_palace(palace_);
  if (!held.ok()) return {held.error().message};
  std::vector<std::string> wrong;
  for (std::size_t worker = 0; worker < progress.size(); ++worker)
    settle_worker(worker, progress[worker], *held, wrong);
  for (const std::string& text : must_be_shared_) {
    if (!held->shared.contains(text)) wrong.push_back(text + " was acknowledged and is gone");
  }
  for (const auto& [text, count] : held->shared) {
    if (count != 1) wrong.push_back(text + " is there " + std::to_string(count) + " times");
  }
  for (std::string& found : inconsistencies(palace_)) wrong.push_back(std::move(found));
  return wrong;
}

void KillHarness::settle_worker(std::size_t worker, const Progress& progress, const Held& held,
                                std::vector<std::string>& wrong) {
  std::int64_t& next = next_[worker];
  State& expected = expected_[worker];
  if (progress.failed) wrong.push_back("a step of " + worker_name(worker) + " gave an error");
  const auto take = [&](std::int64_t number) {
    const Step step(static_cast<int>(worker), number);
    step.apply_to(expected);
    if (step.kind() == StepKind::ingest) must_be_shared_.insert(shared_text(static_cast<int>(number % kSharedTexts)));
  };
  for (; next < progress.acknowledged; ++next) take(next);
  const State actual = part_of(held.state, static_cast<int>(worker));
  if (actual == expected) return;
  if (!progress.in_flight) {
    wrong.push_back(worker_name(worker) + " lost or gained something before step " + std::to_string(next));
    return;
  }
  Step(static_cast<int>(worker), next).apply_to(expected);
  ++next;
  if (actual != expected) wrong.push_back(worker_name(worker) + " half wrote step " + std::to_string(next - 1));
}

}  // namespace loci::crash
