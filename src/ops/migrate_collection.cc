#include "ops/migrate_collection.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/bounded_queue.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kBatchRecords = 4'000;
constexpr std::size_t kBatchBytes = std::size_t{8} << 20;
constexpr std::size_t kShown = 100;  // ids and sentences in the report

std::size_t size_of(const Record& record) {
  std::size_t bytes = record.id.size() + record.document.size() + record.metadata.size() * 64 + 256;
  if (record.embedding) bytes += record.embedding->size() * sizeof(float);
  return bytes;
}

// Is the error about a record, and not about the palace?
bool is_about_a_record(ErrorKind kind) {
  return kind == ErrorKind::invalid_argument || kind == ErrorKind::dimension_mismatch || kind == ErrorKind::unsupported;
}

// Writes batches to the target, on a thread of its own.
class Writer {
 public:
  Writer(Collection& to, MigratedCollection& report, bool is_resumed, bool takes_vectors)
      : to_(to), report_(report), is_resumed_(is_resumed), takes_vectors_(takes_vectors) {}

  Status write(std::vector<Record> batch) {
    if (is_resumed_) TRY(drop_those_there(batch));
    return upsert(batch);
  }

 private:
  // What an earlier run wrote, unless the source has changed since.
  Status drop_those_there(std::vector<Record>& batch) {
    std::vector<std::string> ids;
    for (const Record& record : batch) ids.push_back(record.id);
    std::unordered_map<std::string, Record> there;
    for (Record& record : TRY(to_.get({.selection = {.ids = std::move(ids)}, .include = {.embeddings = true}}))) {
      std::string id = record.id;
      there.emplace(std::move(id), std::move(record));
    }
    const std::size_t before = batch.size();
    std::erase_if(batch, [&](const Record& record) {
      const auto found = there.find(record.id);
      const bool is_there = found != there.end() && found->second.document == record.document &&
                            found->second.metadata == record.metadata &&
                            found->second.embedding.has_value() == record.embedding.has_value();
      if (is_there) note_missing(record);
      return is_there;
    });
    report_.already_there += before - batch.size();
    return ok_status();
  }

  // Where the target refuses a batch, halving it finds the record that it cannot keep.
  Status upsert(std::span<const Record> batch) {
    if (batch.empty()) return ok_status();
    const Result<std::vector<Written>> written = to_.upsert(batch);
    if (written.ok()) {
      for (const Written& each : *written)
        ++(each.state == WriteState::already_there ? report_.folded : report_.written);
      for (const Record& record : batch) note_missing(record);
      return ok_status();
    }
    if (!is_about_a_record(written.error().kind)) return written.error();
    if (batch.size() == 1) {
      ++report_.refused;
      if (report_.refusals.size() < kShown) {
        report_.refusals.push_back("record " + in_quotes(batch.front().id) + ": " + written.error().message);
      }
      return ok_status();
    }
    TRY(upsert(batch.first(batch.size() / 2)));
    return upsert(batch.subspan(batch.size() / 2));
  }

  // Of what the target keeps. A refused record has no vector that could be made later.
  void note_missing(const Record& record) {
    if (!takes_vectors_ || record.embedding) return;
    ++report_.missing;
    if (report_.missing_ids.size() < kShown) report_.missing_ids.push_back(record.id);
  }

  Collection& to_;
  MigratedCollection& report_;
  const bool is_resumed_;
  const bool takes_vectors_;
};

// Gathers records into batches for the writer.
class Batches {
 public:
  Batches(BoundedQueue<std::vector<Record>>& queue, std::size_t limit) : queue_(queue), limit_(limit) {}

  // Waits while the writer has enough to do. False: it has ended.
  bool add(Record record) {
    bytes_ += size_of(record);
    batch_.push_back(std::move(record));
    return batch_.size() < limit_ && bytes_ < kBatchBytes ? true : flush();
  }
  bool flush() {
    const std::size_t bytes = std::exchange(bytes_, 0);
    return batch_.empty() || (queue_.wait_for_room(bytes) && queue_.push(std::exchange(batch_, {}), bytes));
  }

 private:
  BoundedQueue<std::vector<Record>>& queue_;
  const std::size_t limit_;
  std::vector<Record> batch_;
  std::size_t bytes_ = 0;
};

Result<std::shared_ptr<Collection>> open_target(Backend& target, const PalaceRef& palace,
                                                const CollectionToCopy& copy) {
  const OpenOptions options{.if_missing = IfMissing::create,
                            .metric = copy.info.metric,
                            .embed_text = copy.takes_vectors ? EmbedText::leave_missing : EmbedText::later};
  std::shared_ptr<Collection> to = TRY(target.collection(palace, copy.info.name, options));
  const CollectionInfo info = TRY(to->info());
  // Before the first record, so that a run that goes on after an interruption finds it recorded.
  if (copy.takes_vectors && !copy.model.empty() && info.model.empty()) {
    TRY(target.set_embedder(palace, copy.info.name, copy.model, copy.info.dimension, ModelSwap::refuse));
  }
  return to;
}

}  // namespace

Result<MigratedCollection> copy_collection(Backend& target, const PalaceRef& palace, const CollectionToCopy& copy,
                                           MigrateProgress& progress, const MigrateObserver& observer) {
  MigratedCollection report{
      .name = copy.info.name, .model = copy.takes_vectors ? copy.model : "", .records = copy.count};
  const std::shared_ptr<Collection> to = TRY(open_target(target, palace, copy));
  const bool is_resumed = TRY(to->count()) > 0;

  BoundedQueue<std::vector<Record>> queue(2 * kBatchBytes);
  std::atomic<std::size_t> written = 0;
  Status write_status;
  std::thread writing([&] {
    Writer writer(*to, report, is_resumed, copy.takes_vectors);
    while (std::optional<std::vector<Record>> batch = queue.pop()) {
      const std::size_t count = batch->size();
      write_status = writer.write(*std::move(batch));
      if (!write_status.ok()) return queue.close();
      written += count;
    }
  });

  const std::size_t done_before = progress.done;
  const auto tell = [&] {
    progress.done = done_before + written;
    if (observer.progress) observer.progress(progress);
  };
  Batches batches(queue, std::min(kBatchRecords, target.info().max_batch.value_or(kBatchRecords)));
  std::size_t seen = 0;
  const GetRequest all{.include = {.distances = false, .embeddings = copy.takes_vectors, .details = true}};
  const auto take = [&](Record record) -> Status {
    if (!batches.add(std::move(record))) return Error{ErrorKind::unavailable, "the target takes no more records"};
    if (++seen % 1'000 != 0) return ok_status();
    tell();
    return observer.is_cancelled()
               ? Error{ErrorKind::unavailable, "the migration was interrupted; run it again to go on"}
               : ok_status();
  };
  const Status read_status = copy.from->scan(all, take);
  if (read_status.ok()) batches.flush();
  queue.close();
  writing.join();
  TRY(write_status);
  TRY(read_status);
  tell();
  return report;
}

}  // namespace loci
