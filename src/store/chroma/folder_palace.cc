#include "store/chroma/folder_palace.h"

#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/open_files.h"
#include "store/chroma/database_copy.h"
#include "store/chroma/finding_text.h"
#include "store/chroma/metadata_tables.h"
#include "store/chroma/schema.h"
#include "store/sqlite/vfs_file.h"

namespace loci::chroma {
namespace {

using sqlite::OpenMode;
using namespace std::chrono_literals;

constexpr std::size_t kIdleConnections = 4;
constexpr int kCopyAttempts = 50;
constexpr std::string_view kWriteSettings = "PRAGMA synchronous = EXTRA;";

// The versions for writing and for reading in the header of the file; 2 stands for a log.
Result<bool> says_it_has_a_log(const std::filesystem::path& file) {
  constexpr std::uint8_t kLog = 2;
  constexpr std::int64_t kVersionsAt = 18;
  std::array<std::uint8_t, 2> versions{};
  const sqlite::VfsFile opened = TRY(sqlite::VfsFile::open(file));
  TRY(opened.read(kVersionsAt, versions));
  return versions[0] == kLog || versions[1] == kLog;
}

Error closed() { return {ErrorKind::backend_closed, "the backend is closed"}; }

}  // namespace

FolderPalace::Stamp FolderPalace::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

FolderPalace::Stamps FolderPalace::stamps() const {
  const std::string name = file().string();
  return {stamp_of(name), stamp_of(name + "-journal"), stamp_of(name + "-wal")};
}

Error FolderPalace::not_found() const {
  return {ErrorKind::palace_not_found, "there is no Chroma database in " + folder_.string()};
}

Error FolderPalace::with_remedy(const Connection& connection, Error error) const {
  if (error.kind == ErrorKind::corruption && connection.has_met_damage())
    error.message += "; `" + Remedies(folder_).copy() + "` saves what can be read";
  return error;
}

Result<FolderPalace::Lease> FolderPalace::borrow() {
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return closed();
    const Stamps now = stamps();
    if (now.database.size < 0) {
      idle_.clear();
      vectors_.clear();
      return not_found();
    }
    while (!idle_.empty()) {
      Session session = std::move(idle_.back());
      idle_.pop_back();
      const Stamps& opened = session.opening->stamps;
      // A copy shows one moment; a connection to the file itself sees what is committed to it.
      const bool is_fresh = session.opening->copy ? opened == now
                                                  : opened.database.device == now.database.device &&
                                                        opened.database.inode == now.database.inode &&
                                                        now.journal.size < 0 && now.log.size < 0;
      if (is_fresh) return Lease(*this, std::move(session));
    }
  }
  return Lease(*this, TRY(open_session()));
}

void FolderPalace::give_back(Session session) noexcept {
  if (session.connection->is_in_transaction()) return;
  const MutexLock lock(mutex_);
  if (idle_.size() < kIdleConnections && !is_closed_) idle_.push_back(std::move(session));
}

// The first read shows whether the file can be read as it is; some of the settings are one.
Result<bool> FolderPalace::needs_copy(Connection& connection) {
  const auto count_tables = [&]() -> Result<std::int64_t> {
    TRY(connection.execute(kReadSettings));
    return connection.query_integer("SELECT count(*) FROM sqlite_master");
  };
  const Result<std::int64_t> tables = count_tables();
  if (!tables.ok()) {
    if (connection.needs_rollback()) return true;
    return tables.error();
  }
  if (*tables == 0) return false;
  const SchemaVersions versions = TRY(read_versions(connection));
  return metadata_tables_lag(connection, versions);
}

Result<FolderPalace::Session> FolderPalace::open_session() {
  for (int attempt = 0; attempt < kCopyAttempts; ++attempt) {
    auto opening = std::make_shared<Opening>();
    opening->stamps = stamps();
    if (opening->stamps.database.size < 0) return not_found();
    if (opening->stamps.database.size == 0) return not_found();
    // A log needs shared memory beside the file, which a reader may not make. SQLite does so where the file says that
    // it has a log, also when there is none at the moment.
    bool copies = opening->stamps.log.size > 0 || TRY(says_it_has_a_log(file()));
    std::unique_ptr<Connection> connection;
    if (!copies) {
      connection = TRY(Connection::open(file(), OpenMode::read_only));
      const Result<bool> needed = needs_copy(*connection);
      if (!needed.ok()) return with_remedy(*connection, needed.error());
      copies = *needed;
    }
    if (copies) {
      connection.reset();
      opening->copy.emplace(TRY(TemporaryFolder::create()));
      connection = TRY(copy_and_mend(folder_, opening->copy->path()));
      if (stamps() != opening->stamps) {
        std::this_thread::sleep_for(10ms);
        continue;
      }
    }
    return Session{std::move(opening), std::move(connection)};
  }
  return Error{ErrorKind::busy, "the Chroma folder changes too fast to be copied; try again"};
}

Result<std::unique_ptr<Connection>> FolderPalace::open_for_writing(IfMissing if_missing) {
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return closed();
  }
  if (access_ == Access::read_only)
    return Error{ErrorKind::io,
                 "the Chroma folder " + folder_.string() + " is open for reading only; leave out --read-only"};
  const bool is_there = stamp_of(file()).size > 0;
  if (!is_there && if_missing == IfMissing::fail) return not_found();
  if (!is_there) {
    TRY(read_migration_texts(options_.migrations));  // before anything is made
    TRY(make_private_folder(folder_));
  } else if (const std::optional<OpenFile> other = file_opened_by_others(folder_)) {
    return Error{ErrorKind::busy, "process " + std::to_string(other->process) + " has " + other->path.string() +
                                      " open, as a running Chroma has; stop it, or use its address as the palace"};
  }
  // Its journal gets the mode of the database.
  if (!is_there) FileDescriptor(::open(file().c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  std::unique_ptr<Connection> connection = TRY(Connection::open(file(), OpenMode::read_write));
  for (const std::string_view settings : {kReadSettings, kWriteSettings}) {
    if (const Status set = connection->execute(settings); !set.ok()) return with_remedy(*connection, set.error());
  }
  return connection;
}

Result<SchemaVersions> FolderPalace::prepare_for_writing(Connection& connection, IfMissing if_missing) const {
  const std::int64_t tables = TRY(connection.query_integer("SELECT count(*) FROM sqlite_master"));
  if (tables == 0 && if_missing == IfMissing::fail) return not_found();
  if (tables == 0) TRY(create_schema(connection, TRY(read_migration_texts(options_.migrations))));
  const SchemaVersions versions = TRY(read_versions(connection));
  TRY(catch_up_metadata_tables(connection, versions));
  return versions;
}

std::vector<FolderPalace::Stamp> FolderPalace::stamps_of(const CollectionRow& row) const {
  std::vector<Stamp> all;
  for (const char* name : {"header.bin", "data_level0.bin", "length.bin", "index_metadata.pickle"})
    all.push_back(stamp_of(folder_ / row.vector_segment / name));
  const Stamps database = stamps();
  all.push_back(database.database);
  all.push_back(database.journal);
  return all;
}

Result<std::shared_ptr<const Recovered>> FolderPalace::vectors(Connection& connection, const CollectionRow& row) {
  constexpr int kAttempts = 5;
  const std::string key = row.id;
  for (int attempt = 1;; ++attempt) {
    std::vector<Stamp> before = stamps_of(row);
    {
      const MutexLock lock(mutex_);
      const auto found = vectors_.find(key);
      if (found != vectors_.end() && found->second.stamps == before) return found->second.vectors;
    }
    auto recovered = std::make_shared<const Recovered>(TRY(recover(connection, folder_, row, options_.copies)));
    // A Chroma that persists at this moment rewrites the files one after the other.
    if (stamps_of(row) != before && attempt < kAttempts) {
      std::this_thread::sleep_for(20ms);
      continue;
    }
    const MutexLock lock(mutex_);
    vectors_.insert_or_assign(key, CachedVectors{.stamps = std::move(before), .vectors = recovered});
    return std::shared_ptr<const Recovered>(std::move(recovered));
  }
}

Result<std::shared_ptr<const VectorIndex>> FolderPalace::index(Connection& connection, const CollectionRow& row,
                                                               const std::shared_ptr<const Recovered>& vectors) {
  const std::shared_ptr<const VectorIndex> none;
  if (!VectorIndex::is_worth_it(*vectors)) return none;
  {
    const MutexLock lock(mutex_);
    const auto found = vectors_.find(row.id);
    if (found == vectors_.end() || found->second.vectors != vectors) return none;
    CachedVectors& cached = found->second;
    if (!std::exchange(cached.is_asked_again, true) || std::exchange(cached.is_indexed, true)) return cached.index;
  }
  // Others who ask meanwhile measure every vector.
  std::shared_ptr<const VectorIndex> index = TRY(VectorIndex::build(connection, *vectors, row.space.metric));
  const MutexLock lock(mutex_);
  if (const auto found = vectors_.find(row.id); found != vectors_.end() && found->second.vectors == vectors)
    found->second.index = index;
  return index;
}

void FolderPalace::release() {
  const MutexLock lock(mutex_);
  idle_.clear();
  vectors_.clear();
}

void FolderPalace::close() {
  const MutexLock lock(mutex_);
  idle_.clear();
  vectors_.clear();
  is_closed_ = true;
}

}  // namespace loci::chroma
