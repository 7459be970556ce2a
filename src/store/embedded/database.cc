#include "store/embedded/database.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/embedded/file_header.h"
#include "store/embedded/first_page.h"
#include "store/embedded/index_context.h"
#include "store/embedded/schema.h"
#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;
constexpr std::size_t kIdleConnections = 8;
constexpr int kCopyAttempts = 50;
constexpr std::uintmax_t kLeastSpace = 65'536;  // the index of a log, and a page in it
constexpr std::string_view kQueueFile = "writers.lock";

// EXTRA: a reply is sent after the log reached the disk (FULL), and the journal that is used while a new database turns
// to the log is gone for good before anything is written there: a power loss could bring it back, and it would empty
// the file. The rest keeps hostile files from running code or lying.
// Pages of 8 KB, in new files: in smaller ones a ninth of the space for texts stays empty, as a row is not split.
constexpr std::string_view kSettings = R"sql(
PRAGMA page_size = 8192;
PRAGMA synchronous = EXTRA;
PRAGMA journal_size_limit = 67108864;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
)sql";

Error not_found(const std::filesystem::path& folder) {
  return {ErrorKind::palace_not_found, "there is no palace in " + folder.string() + "; `loci init` makes one"};
}

// The log mode is stored in the file, so this changes something only once. The switch does not wait for other
// connections by itself.
Status use_log(Connection& connection) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const Result<std::string> mode = connection.query_text("PRAGMA journal_mode = WAL");
    if (mode.ok() && *mode == "wal") return {};
    if (mode.ok())
      return Error{ErrorKind::io, "this file system cannot hold a palace (no write-ahead log); choose another folder"};
    if (mode.error().kind != ErrorKind::busy || std::chrono::steady_clock::now() > deadline) return mode.error();
    std::this_thread::sleep_for(500us);
  }
}

bool can_write(const std::filesystem::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return false;
  const std::filesystem::path file = folder / kDatabaseName;
  return ::access(file.c_str(), F_OK) != 0 || ::access(file.c_str(), W_OK) == 0;
}

// Without room for the few pages that SQLite needs to look at a log, a palace at rest can still be read.
bool is_disk_full(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return !error && space.available < kLeastSpace;
}

}  // namespace

Result<std::shared_ptr<Database>> Database::open(const std::filesystem::path& folder, Access access,
                                                 IfMissing if_missing, const IndexOptions& index) {
  TRY(sqlite::check_sqlite_version());
  struct stat status {};
  const bool there = ::stat(folder.c_str(), &status) == 0;
  if (!there && errno != ENOENT) return io_error("cannot open the palace", folder, errno);
  if (there && !S_ISDIR(status.st_mode)) {
    return Error{ErrorKind::invalid_argument,
                 folder.string() + " is a file; a palace is a folder, choose another --palace"};
  }
  const bool creates = if_missing == IfMissing::create && access == Access::read_write;
  if (!there && !creates) return not_found(folder);
  if (!there) TRY(make_private_folder(folder));

  // First, since another process may be making the file, and makes its log later.
  const Status no_stray_log = check_no_stray_log(folder / kDatabaseName);
  const HeaderState header = TRY(read_file_header(folder / kDatabaseName));
  const bool missing =
      header == HeaderState::missing || header == HeaderState::empty || header == HeaderState::unfinished;
  if (missing && !creates) return not_found(folder);
  if (header == HeaderState::missing) TRY(no_stray_log);
  if (!missing) TRY(check_header(header, folder / kDatabaseName));

  if (access == Access::read_write && !missing && !can_write(folder)) access = Access::read_only;
  std::shared_ptr<Database> database(new Database(folder, access, index));
  const Status opened =
      access == Access::read_only ? database->open_read_only() : database->open_for_writing(if_missing);
  if (opened.ok()) return database;
  if (access == Access::read_only || opened.error().kind != ErrorKind::io || !is_disk_full(folder))
    return opened.error();
  if (!missing) {
    std::shared_ptr<Database> view(new Database(folder, Access::read_only, index));
    view->is_for_want_of_space_ = true;
    if (view->open_read_only().ok()) return view;
  }
  return Error{ErrorKind::io, "the disk is full: free some space, or read with --read-only; " + opened.error().message};
}

Result<std::shared_ptr<Database>> Database::open_damaged(const std::filesystem::path& folder) {
  const HeaderState header = TRY(read_file_header(folder / kDatabaseName));
  const bool is_nothing = header == HeaderState::missing || header == HeaderState::empty;
  if (is_nothing || header == HeaderState::unfinished) return not_found(folder);
  const bool is_mended = header == HeaderState::not_a_database || header == HeaderState::emptied;
  if (!is_mended) TRY(check_header(header, folder / kDatabaseName));
  std::shared_ptr<Database> database(new Database(folder, Access::read_only, {}, Damage::tolerated));
  TRY(database->open_read_only());
  return database;
}

Database::Database(std::filesystem::path folder, Access access, const IndexOptions& index, Damage damage)
    : folder_(std::move(folder)),
      damage_(damage),
      access_(access),
      index_(std::make_unique<IndexContext>(folder_, access, index)) {
  idle_.reserve(kIdleConnections);  // giving one back needs no memory
}

Database::~Database() = default;

Status Database::open_for_writing(IfMissing if_missing) {
  Session session = TRY(connect(if_missing == IfMissing::create ? OpenMode::read_write_create : OpenMode::read_write));
  Connection& connection = *session.connection;
  const SchemaState state = TRY(schema_state(connection));
  if (state == SchemaState::newer || state == SchemaState::foreign) {
    // The version may stand in the log only; closing must not move it into the file.
    connection.keep_log_on_close();
  } else {
    if (state == SchemaState::empty && if_missing == IfMissing::fail) return not_found(folder_);
    TRY(use_log(connection));
  }
  const bool unprepared = TRY(needs_preparation(connection));
  if (unprepared) {
    const Status prepared = prepare_schema(connection);
    session.queue->leave();
    TRY(prepared);
    if (state == SchemaState::empty) TRY(sync_folder(folder_));
  }
  give_back(std::move(session));
  return {};
}

Status Database::open_read_only() {
  for (int attempt = 0; attempt < kCopyAttempts; ++attempt) {
    opened_ = view_stamp();
    if (!opened_.database) return not_found(folder_);
    private_copy_.reset();
    // Without a log the file alone is the palace. With one, SQLite would have to write beside it to read it, so a
    // private copy is read instead; a copy during which something changed is made again.
    const bool has_log = opened_.log && opened_.log->size > 0;
    const bool must_be_changed = TRY(must_be_changed_to_be_read());
    if (has_log || must_be_changed) TRY(copy_aside());
    if (view_stamp() != opened_) {
      std::this_thread::sleep_for(10ms);
      continue;
    }
    if (private_copy_ && damage_ == Damage::tolerated) TRY(make_copy_readable());
    Session session = TRY(connect(private_copy_ ? OpenMode::read_write : OpenMode::immutable));
    switch (TRY(schema_state(*session.connection))) {
      case SchemaState::current: break;
      case SchemaState::empty: return not_found(folder_);
      case SchemaState::older:
        if (damage_ == Damage::tolerated) break;
        return Error{ErrorKind::version_mismatch,
                     "this palace has an older format; `loci status` without --read-only brings it up to date"};
      case SchemaState::newer:
        return Error{ErrorKind::version_mismatch, "this palace was written by a newer Loci; use the newer program"};
      case SchemaState::foreign:
        return Error{ErrorKind::corruption, file().string() + " belongs to another program, or is damaged"};
    }
    give_back(std::move(session));
    return {};
  }
  return Error{ErrorKind::busy,
               "the palace changes too fast to be read without writing beside it; try without --read-only"};
}

// Of what open() refuses, for examining and saving it.
Result<bool> Database::must_be_changed_to_be_read() const {
  if (damage_ == Damage::refused) return false;
  const HeaderState header = TRY(read_file_header(file()));
  return header == HeaderState::older || header == HeaderState::not_a_database || header == HeaderState::emptied;
}

Status Database::make_copy_readable() const {
  const std::filesystem::path copy = private_copy_->path() / kDatabaseName;
  const HeaderState header = TRY(read_file_header(copy));
  if (header == HeaderState::not_a_database) TRY(replace_first_page(copy));
  if (header == HeaderState::emptied) TRY(make_first_page_for_log(copy));
  // Damage may be in the way: what cannot be brought up to date is read as it is.
  const Result<std::unique_ptr<Connection>> connection = open_connection(copy, OpenMode::read_write);
  if (!connection.ok()) return {};
  const Result<SchemaState> state = schema_state(**connection);
  if (state.ok() && *state == SchemaState::older) static_cast<void>(prepare_schema(**connection));
  return {};
}

Status Database::copy_aside() {
  private_copy_.emplace(TRY(TemporaryFolder::create()));
  for (const char* suffix : {"", "-wal"}) {
    const std::filesystem::path name = std::string(kDatabaseName) + suffix;
    if (!stamp_of(folder_ / name)) continue;
    TRY(sqlite::copy_database_file(folder_ / name, private_copy_->path() / name));
  }
  return {};
}

Result<Database::Session> Database::connect(OpenMode mode) {
  const std::filesystem::path opened = private_copy_ ? private_copy_->path() / kDatabaseName : file();
  Session session;
  session.queue = std::make_unique<WriterQueue>(folder_ / kQueueFile, kPatience);
  session.connection = TRY(open_connection(opened, mode, damage_));
  session.queue->attach(session.connection->handle());
  TRY(session.connection->execute(kSettings));
  TRY(session.connection->execute(kCacheSize));
  return session;
}

Result<Database::Lease> Database::borrow() {
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      Session session = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(session));
    }
  }
  const bool immutable = access_ == Access::read_only && !private_copy_;
  return Lease(*this, TRY(connect(immutable ? OpenMode::immutable : OpenMode::read_write)));
}

void Database::give_back(Session session) noexcept {
  // Without memory even a roll-back may fail; closing such a connection does it.
  if (session.connection->is_in_transaction()) return;
  const MutexLock lock(mutex_);
  if (idle_.size() < kIdleConnections) idle_.push_back(std::move(session));
}

bool Database::is_stale() {
  if (is_for_want_of_space_ && !is_disk_full(folder_)) return true;
  if (access_ == Access::read_only) return view_stamp() != opened_;
  const MutexLock lock(mutex_);
  if (idle_.empty()) return false;  // all in use: the next call will ask again
  int moved = 0;
  sqlite3_file_control(idle_.back().connection->handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::optional<Database::FileStamp> Database::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return FileStamp{status.st_dev, status.st_ino, status.st_size,
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Database::ViewStamp Database::view_stamp() const {
  return {stamp_of(file()), stamp_of(folder_ / (std::string(kDatabaseName) + "-wal"))};
}

Error Database::read_only_error() const {
  if (is_for_want_of_space_) {
    return {ErrorKind::io,
            "the disk is full, so the palace " + folder_.string() + " can only be read; free some space and try again"};
  }
  return {ErrorKind::io, "the palace " + folder_.string() +
                             " is open for reading only; leave out --read-only, or make the folder writable"};
}

}  // namespace loci::embedded
