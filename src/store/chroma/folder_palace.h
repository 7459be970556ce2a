// A Chroma folder as its users hold it: the connections to its database, and what is known of its vectors.
//
// Reading changes no byte. The database is opened for reading only; where a journal would have to be rolled back, or
// Chroma died before its tables took over what is in its queue, a private copy is mended and read instead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/recovery.h"
#include "store/chroma/vector_index.h"

namespace loci::chroma {

struct FolderOptions {
  Copies copies = Copies::ignored;  // are vectors in quarantined copies of an index taken for records that lack one?
  std::filesystem::path migrations = {};  // the texts that a new folder is made with (migrations.h)
};

// Many threads may use it at once.
class FolderPalace {
  template <typename Work>
  using ResultOf = std::invoke_result_t<const Work&, Connection&, const SchemaVersions&>;

 public:
  FolderPalace(std::filesystem::path folder, Access access, const FolderOptions& options)
      : folder_(std::move(folder)), access_(access), options_(options) {}

  const std::filesystem::path& folder() const { return folder_; }
  Access access() const { return access_; }

  // Runs work(Connection&, const SchemaVersions&) on one consistent snapshot. Errors: palace_not_found,
  // backend_closed, corruption; where the database is damaged, naming the command that saves what can be read.
  template <typename Work>
  ResultOf<Work> read(const Work& work) EXCLUDES(mutex_) {
    const Lease lease = TRY(borrow());
    auto result = read_with(lease.connection(), work);
    if (!result.ok()) return with_remedy(lease.connection(), result.error());
    return result;
  }

  // Runs work(Connection&, const SchemaVersions&) as the only writer and commits unless it fails. With `create` the
  // folder and its database are made where they are missing. Errors: also busy, when another program has the folder's
  // index open; unavailable, without the texts that a folder is made with.
  template <typename Work>
  ResultOf<Work> write(IfMissing if_missing, const Work& work) EXCLUDES(mutex_) {
    const MutexLock lock(write_mutex_);
    const std::unique_ptr<Connection> connection = TRY(open_for_writing(if_missing));
    auto result = write_with(*connection, if_missing, work);
    if (!result.ok()) return with_remedy(*connection, result.error());
    return result;
  }

  // The vectors of a collection as this snapshot has them; kept for the next call as long as nothing changes.
  Result<std::shared_ptr<const Recovered>> vectors(Connection& connection, const CollectionRow& row) EXCLUDES(mutex_);

  // Our own index over these vectors; null for the first question about them, and where it would not pay.
  Result<std::shared_ptr<const VectorIndex>> index(Connection& connection, const CollectionRow& row,
                                                   const std::shared_ptr<const Recovered>& vectors) EXCLUDES(mutex_);

  // Lets go of the files; the next call opens them again.
  void release() EXCLUDES(mutex_);
  // As release(), and every later call is backend_closed.
  void close() EXCLUDES(mutex_);

 private:
  // Tells whether the files of the database are the same and unchanged.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Stamps {
    Stamp database;
    Stamp journal;
    Stamp log;
    bool operator==(const Stamps&) const = default;
  };
  // What all connections of one opening share.
  struct Opening {
    Stamps stamps;
    std::optional<TemporaryFolder> copy;  // read instead of the folder's own database
  };
  struct Session {
    std::shared_ptr<const Opening> opening;
    std::unique_ptr<Connection> connection;
  };
  class Lease {
   public:
    Lease(FolderPalace& palace, Session session) : palace_(&palace), session_(std::move(session)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (session_.connection) palace_->give_back(std::move(session_));
    }
    Connection& connection() const { return *session_.connection; }

   private:
    FolderPalace* palace_;
    Session session_;
  };
  struct CachedVectors {
    std::vector<Stamp> stamps;  // of what they were read from
    std::shared_ptr<const Recovered> vectors;
    bool is_asked_again = false;  // from the second question on
    bool is_indexed = false;      // or will be, or cannot be
    std::shared_ptr<const VectorIndex> index = {};
  };

  template <typename Work>
  static ResultOf<Work> read_with(Connection& connection, const Work& work) {
    const sqlite::Transaction snapshot = TRY(sqlite::Transaction::begin(connection, sqlite::Transaction::Kind::read));
    const SchemaVersions versions = TRY(read_versions(connection));
    return work(connection, versions);
  }
  template <typename Work>
  ResultOf<Work> write_with(Connection& connection, IfMissing if_missing, const Work& work) const {
    sqlite::Transaction transaction = TRY(sqlite::Transaction::begin(connection, sqlite::Transaction::Kind::write));
    const SchemaVersions versions = TRY(prepare_for_writing(connection, if_missing));
    auto result = work(connection, versions);
    if (!result.ok()) return result;
    TRY(transaction.commit());
    return result;
  }

  std::filesystem::path file() const { return folder_ / kDatabaseName; }
  static Stamp stamp_of(const std::filesystem::path& file);
  Stamps stamps() const;
  std::vector<Stamp> stamps_of(const CollectionRow& row) const;
  Error not_found() const;
  // The error, and if it is that the database is damaged, what saves the rest.
  Error with_remedy(const Connection& connection, Error error) const;
  Result<Lease> borrow() EXCLUDES(mutex_);
  void give_back(Session session) noexcept EXCLUDES(mutex_);
  Result<Session> open_session();
  static Result<bool> needs_copy(Connection& connection);
  Result<std::unique_ptr<Connection>> open_for_writing(IfMissing if_missing) EXCLUDES(mutex_);
  Result<SchemaVersions> prepare_for_writing(Connection& connection, IfMissing if_missing) const;

  const std::filesystem::path folder_;
  const Access access_;
  const FolderOptions options_;

  Mutex write_mutex_;
  Mutex mutex_;
  std::vector<Session> idle_ GUARDED_BY(mutex_);
  std::map<std::string, CachedVectors> vectors_ GUARDED_BY(mutex_);  // by collection
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci::chroma
