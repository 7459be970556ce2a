#include "api/embedding_worker.h"

#include <system_error>
#include <utility>

#include "api/embed_queue.h"
#include "api/json.h"
#include "base/file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockName = "worker.lock";
constexpr std::string_view kProgressName = "worker.json";
constexpr std::size_t kMaxProgressBytes = 64 << 10;
constexpr std::chrono::milliseconds kReportEvery{500};

// Embeds all that waits, and lets the index take one step. False: the index has no more to do.
Result<bool> work_once(const ListQueues& queues, WorkerSeat& seat, std::size_t& embedded) {
  seat.report(embedded);
  bool has_indexed = false;
  for (const std::shared_ptr<Collection>& drawers : TRY(queues())) {
    for (EmbeddingStep step = TRY(drawers->embed_pending(kEmbeddingBatch)); !step.is_empty();
         step = TRY(drawers->embed_pending(kEmbeddingBatch))) {
      embedded += step.embedded;
      seat.report(embedded);
    }
    // Searches are complete without the index, only slower, so that its failure is not the worker's.
    const Result<std::size_t> indexed = drawers->index_pending();
    has_indexed = has_indexed || (indexed.ok() && *indexed > 0);
  }
  return has_indexed;
}

}  // namespace

WorkerState worker_state(const fs::path& palace) {
  WorkerState state;
  const Result<bool> is_locked = LockFile::is_locked(palace / kLockName, 0);
  state.is_at_work = is_locked.ok() && *is_locked;
  const Result<std::string> content = read_file(palace / kProgressName, kMaxProgressBytes);
  const Result<Json> progress = content.ok() ? parse_json(*content, kProgressName) : Result<Json>(Json());
  if (!progress.ok() || !progress->is_object()) return state;
  if (state.is_at_work) {
    const Json embedded = progress->value("embedded", Json());
    const Json per_second = progress->value("per_second", Json());
    if (embedded.is_number_unsigned()) state.embedded = embedded.get<std::size_t>();
    if (per_second.is_number()) state.per_second = per_second.get<double>();
  } else if (const Json error = progress->value("error", Json()); error.is_string()) {
    // What a worker said before it was killed is of no interest any more; what it failed of is.
    state.error = error.get<std::string>();
  }
  return state;
}

bool wants_worker(Session& session) {
  if (session.options().access == Access::read_only) return false;
  const Result<ChosenPalace> palace = session.palace();
  if (!palace.ok() || palace->settings.embed != EmbedWhen::background) return false;
  const Result<const Embedder*> embedder = session.embedder(palace->settings);
  if (!embedder.ok() || *embedder == nullptr) return false;
  std::error_code ignored;
  if (!fs::is_directory(palace->settings.palace, ignored) || worker_state(palace->settings.palace).is_at_work)
    return false;
  const auto drawers = session.drawers(*palace, Purpose::read, IfMissing::fail);
  if (!drawers.ok()) return false;
  const Result<CollectionInfo> info = (*drawers)->info();
  if (!info.ok() || info->pending > 0) return info.ok();
  // Nothing waits for a vector, but the index may be behind, or unusable.
  const Result<Metadata> state = palace->backend->maintenance_state(palace->ref, session.options().access);
  const auto due = state.ok() ? state->find("vector_due") : Metadata::const_iterator();
  return state.ok() && due != state->end() && due->second == MetadataValue(true);
}

WorkerSeat::WorkerSeat(LockFile lock, fs::path palace)
    : lock_(std::move(lock)), palace_(std::move(palace)), start_(Clock::now()), next_report_(start_) {}

Result<std::optional<WorkerSeat>> WorkerSeat::take(const fs::path& palace) {
  LockFile lock = TRY(LockFile::open(palace / kLockName));
  if (!lock.try_lock(0)) return std::optional<WorkerSeat>();
  return std::optional<WorkerSeat>(WorkerSeat(std::move(lock), palace));
}

void WorkerSeat::report(std::size_t embedded) {
  const Clock::time_point now = Clock::now();
  if (now < next_report_) return;
  next_report_ = now + kReportEvery;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const Json progress = {{"embedded", embedded},
                         {"per_second", seconds > 0 ? static_cast<double>(embedded) / seconds : 0.0}};
  static_cast<void>(write_file_atomically(palace_ / kProgressName, to_text(progress, JsonLayout::one_line) + "\n"));
}

void WorkerSeat::leave(const Status& outcome) {
  if (outcome.ok()) {
    std::error_code ignored;
    fs::remove(palace_ / kProgressName, ignored);
  } else {
    const Json failure = {{"error", outcome.error().message}};
    static_cast<void>(write_file_atomically(palace_ / kProgressName, to_text(failure, JsonLayout::one_line) + "\n"));
  }
  lock_.unlock(0);
}

Result<std::size_t> work_in_background(const fs::path& palace, const ListQueues& queues) {
  std::size_t embedded = 0;
  while (true) {
    std::optional<WorkerSeat> seat = TRY(WorkerSeat::take(palace));
    if (!seat) return embedded;
    const Result<bool> may_have_more = work_once(queues, *seat, embedded);
    seat->leave(may_have_more.ok() ? ok_status() : may_have_more.error());
    TRY(may_have_more);
    // Whoever stored something after our last look, and found the seat taken, relies on us. So the index gets one step
    // at a time: texts that wait for their vectors come first.
    bool is_idle = !*may_have_more;
    for (const std::shared_ptr<Collection>& drawers : TRY(queues())) {
      const EmbeddingStep late = TRY(drawers->embed_pending(kEmbeddingBatch));
      embedded += late.embedded;
      is_idle = is_idle && late.is_empty();
    }
    if (is_idle) return embedded;
  }
}

}  // namespace loci
