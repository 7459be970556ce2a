// One open palace: its folder, its database file, and the connections to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "loci/result.h"
#include "store/embedded/index_options.h"
#include "store/embedded/sqlite.h"
#include "store/embedded/writer_queue.h"

namespace loci::embedded {

// The pages that each connection keeps in memory: 8 MB.
inline constexpr const char* kCacheSize = "PRAGMA cache_size = -8000";

struct IndexContext;

inline constexpr std::string_view kDatabaseName = "palace.db";

// Many threads may use it at once, and many processes the same palace. Every call runs in a transaction of its own on
// a connection that no other thread uses meanwhile.
class Database {
 public:
  // One that cannot be written, or whose disk is full, is opened for reading only.
  // Errors: palace_not_found, version_mismatch, corruption, io; the folder is untouched after the first three.
  static Result<std::shared_ptr<Database>> open(const std::filesystem::path& folder, Access access,
                                                IfMissing if_missing, const IndexOptions& index = {});
  // A view for examining and saving what open() refuses: of a damaged palace what can still be read, of one of an older
  // format a private copy that is up to date, if the damage lets it be. The folder stays as it is.
  // Errors: palace_not_found, version_mismatch (newer), corruption (nothing of a palace can be told), io.
  static Result<std::shared_ptr<Database>> open_damaged(const std::filesystem::path& folder);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs `work(Connection&)` on one consistent snapshot.
  template <typename Work>
  auto read(const Work& work) -> decltype(work(std::declval<Connection&>())) {
    const Lease lease = TRY(borrow());
    const Transaction snapshot = TRY(Transaction::begin(lease.connection(), Transaction::Kind::read));
    return work(lease.connection());
  }

  // Runs `work(Connection&)` as the only writer of the palace, and commits unless it fails. Errors: those of `work`;
  // busy, io. After an error nothing has changed.
  template <typename Work>
  auto write(const Work& work) -> decltype(work(std::declval<Connection&>())) {
    if (access_ == Access::read_only) return read_only_error();
    const MutexLock lock(write_mutex_);  // threads of one process wait here rather than poll each other
    const Lease lease = TRY(borrow());
    Result<Transaction> transaction = Transaction::begin(lease.connection(), Transaction::Kind::write);
    lease.queue().leave();
    if (!transaction.ok()) return transaction.error();
    auto result = work(lease.connection());
    if (!result.ok()) return result;
    TRY(transaction->commit());
    return result;
  }

  // Runs `work(Connection&)` without a transaction around it: for what brings its own, or must outlive a damaged page.
  template <typename Work>
  auto run(const Work& work) -> decltype(work(std::declval<Connection&>())) {
    const Lease lease = TRY(borrow());
    return work(lease.connection());
  }

  // Runs `work(Connection&)` as a writer without a transaction around it: for statements that are one by themselves.
  template <typename Work>
  auto run_alone(const Work& work) -> decltype(work(std::declval<Connection&>())) {
    if (access_ == Access::read_only) return read_only_error();
    const MutexLock lock(write_mutex_);
    const Lease lease = TRY(borrow());
    auto result = work(lease.connection());
    lease.queue().leave();
    return result;
  }

  // Was the file removed, replaced or, for a read-only view, changed since it was opened? Then open it again.
  bool is_stale();

  Error read_only_error() const;

  const std::filesystem::path& folder() const { return folder_; }
  Access access() const { return access_; }
  // What this process keeps of the palace's vector index.
  IndexContext& index() const { return *index_; }

 private:
  struct Session {
    std::unique_ptr<WriterQueue> queue;  // before the connection: it must outlive it
    std::unique_ptr<Connection> connection;
  };
  // A connection for one call; goes back to the pool afterwards.
  class Lease {
   public:
    Lease(Database& database, Session session) : database_(&database), session_(std::move(session)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (session_.connection) database_->give_back(std::move(session_));
    }
    Connection& connection() const { return *session_.connection; }
    WriterQueue& queue() const { return *session_.queue; }

   private:
    Database* database_;
    Session session_;
  };
  // Tells whether a file is the same and unchanged.
  struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileStamp&) const = default;
  };
  struct ViewStamp {
    std::optional<FileStamp> database;
    std::optional<FileStamp> log;
    bool operator==(const ViewStamp&) const = default;
  };

  Database(std::filesystem::path folder, Access access, const IndexOptions& index, Damage damage = Damage::refused);
  std::filesystem::path file() const { return folder_ / kDatabaseName; }
  Status open_for_writing(IfMissing if_missing);
  Status open_read_only();
  Result<Session> connect(OpenMode mode);
  Result<Lease> borrow() EXCLUDES(mutex_);
  void give_back(Session session) noexcept EXCLUDES(mutex_);
  static std::optional<FileStamp> stamp_of(const std::filesystem::path& file);
  ViewStamp view_stamp() const;
  Result<bool> must_be_changed_to_be_read() const;
  Status copy_aside();
  Status make_copy_readable() const;

  const std::filesystem::path folder_;
  const Damage damage_;
  Access access_;                      // read_only also when the folder cannot be written; constant after open()
  bool is_for_want_of_space_ = false;  // that it is read_only, until there is some; constant after open()
  std::optional<TemporaryFolder>
      private_copy_;  // what a read-only view reads when there is a log; constant after open()
  const std::unique_ptr<IndexContext> index_;
  ViewStamp opened_;  // of a read-only view; constant after open()

  Mutex write_mutex_;
  Mutex mutex_;
  std::vector<Session> idle_ GUARDED_BY(mutex_);
};

}  // namespace loci::embedded
