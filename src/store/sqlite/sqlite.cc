#include "store/sqlite/sqlite.h"

#include <new>
#include <string>
#include <utility>

#include "store/sqlite/cancellation.h"

namespace loci::sqlite {
namespace {

constexpr int kOldestSafeSqlite = 3051003;  // releases up to 3.51.2 have the WAL-reset bug
constexpr int kOpenPatienceMs = 60'000;
constexpr int kCachedStatementsPerText = 2;

ErrorKind kind_of(int code) {
  if (code == SQLITE_IOERR_SHORT_READ) return ErrorKind::corruption;  // the file was cut
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorKind::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::corruption;
    case SQLITE_TOOBIG: return ErrorKind::invalid_argument;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS: return ErrorKind::io;
    default: return ErrorKind::internal;
  }
}

std::string_view advice(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return "; free some space and try again, nothing was changed";
    case SQLITE_BUSY: return "; another process keeps the palace locked, try again";
    case SQLITE_READONLY:
    case SQLITE_PERM: return "; check the permissions of the palace folder, or use --read-only";
    case SQLITE_CANTOPEN: return "; check that the folder exists and that you may write to it";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return "; the file is damaged or not a palace, it was not changed";
    case SQLITE_NOMEM: return "; out of memory, nothing was changed";
    default: return "";
  }
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      bind_error_(other.bind_error_) {}

Statement::~Statement() {
  if (statement_ != nullptr) connection_->give_back(statement_);
}

Statement& Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, index, value); code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind(int index, double value) {
  if (const int code = sqlite3_bind_double(statement_, index, value); code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL; an empty text is a text.
  const char* data = text.data() != nullptr ? text.data() : "";
  const int code = sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind_blob(int index, std::span<const std::uint8_t> blob) {
  const int code = blob.empty() ? sqlite3_bind_zeroblob(statement_, index, 0)
                                : sqlite3_bind_blob64(statement_, index, blob.data(), blob.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind_null(int index) {
  if (const int code = sqlite3_bind_null(statement_, index); code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind_column(int index, const Statement& row, int column) {
  const int code = sqlite3_bind_value(statement_, index, sqlite3_column_value(row.statement_, column));
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind_pointer(int index, const void* pointer, const char* type) {
  const int code = sqlite3_bind_pointer(statement_, index, const_cast<void*>(pointer), type, nullptr);
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Result<bool> Statement::step() {
  if (bind_error_ != SQLITE_OK)
    return connection_->error(std::exchange(bind_error_, SQLITE_OK), "a value could not be bound");
  switch (const int code = sqlite3_step(statement_); code) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: {
      Error failure = connection_->error(code, "the palace's database");
      sqlite3_reset(statement_);
      return failure;
    }
  }
}

Status Statement::run() {
  while (TRY(step())) {
  }
  reset();
  return {};
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
bool Statement::is_blob(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_BLOB; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::span<const std::uint8_t> Statement::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<std::unique_ptr<Connection>> Connection::open(const std::filesystem::path& file, OpenMode mode) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  std::string name = file.string();
  switch (mode) {
    case OpenMode::read_write: flags |= SQLITE_OPEN_READWRITE; break;
    case OpenMode::read_write_create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE; break;
    case OpenMode::read_only: flags |= SQLITE_OPEN_READONLY; break;
    case OpenMode::immutable: {
      // The path becomes a URI, so what is special in a URI is escaped.
      constexpr std::string_view kHexDigits = "0123456789ABCDEF";
      std::string uri = "file:";
      for (const char c : name) {
        if (c == '%' || c == '?' || c == '#') {
          const auto byte = static_cast<unsigned char>(c);
          uri += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
        } else {
          uri += c;
        }
      }
      name = uri + "?immutable=1";
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
      break;
    }
  }
  initialize_sqlite();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> owned(handle, sqlite3_close_v2);
  if (handle == nullptr) return Error{ErrorKind::io, "out of memory while opening " + file.string()};
  std::unique_ptr<Connection> connection(new Connection(handle, file));
  owned.release();
  if (code != SQLITE_OK) return connection->error(code, "cannot open");
  // SQLite falls back to reading when it cannot open a file for writing; a writer must hear of that at once.
  const bool writes = mode == OpenMode::read_write || mode == OpenMode::read_write_create;
  if (writes && sqlite3_db_readonly(handle, "main") == 1) {
    return connection->error(SQLITE_READONLY, "cannot open for writing");
  }
  sqlite3_busy_timeout(handle, kOpenPatienceMs);  // another process may be mending the log at this moment
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // Plans do not look at bound values: else every new value of a LIMIT has its statement prepared again.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
  return connection;
}

Connection::~Connection() {
  for (auto& [sql, statements] : idle_) {
    for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
  }
  sqlite3_close_v2(handle_);
}

Result<Statement> Connection::prepare(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end() && !found->second.empty()) {
    sqlite3_stmt* statement = found->second.back();
    found->second.pop_back();
    // The map's key is the text owned by one of its statements; without statements there is no key to keep.
    if (found->second.empty()) idle_.erase(found);
    return Statement(*this, statement);
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) return error(code, "the palace's database");
  return Statement(*this, statement);
}

void Connection::give_back(sqlite3_stmt* statement) noexcept {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (!keep(statement)) sqlite3_finalize(statement);
}

// Destructors give statements back, also when there is no memory to remember them.
bool Connection::keep(sqlite3_stmt* statement) noexcept {
  const std::string_view sql = sqlite3_sql(statement);
  const bool is_new = !idle_.contains(sql);
  try {
    std::vector<sqlite3_stmt*>& idle = idle_[sql];
    if (idle.size() >= kCachedStatementsPerText) return false;
    idle.push_back(statement);  // the first one owns the key's text, and leaves last
    return true;
  } catch (const std::bad_alloc&) {
    if (is_new) idle_.erase(sql);
    return false;
  }
}

bool Connection::is_in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Status Connection::execute(std::string_view sql) {
  const std::string text(sql);
  const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code, "the palace's database");
  return {};
}

Result<std::int64_t> Connection::query_integer(std::string_view sql) {
  Statement statement = TRY(prepare(sql));
  if (!TRY(statement.step())) return Error{ErrorKind::not_found, "no row"};
  return statement.integer(0);
}

Result<std::string> Connection::query_text(std::string_view sql) {
  Statement statement = TRY(prepare(sql));
  if (!TRY(statement.step())) return Error{ErrorKind::not_found, "no row"};
  return std::string(statement.text(0));
}

Error Connection::error(std::string_view what) { return error(sqlite3_extended_errcode(handle_), what); }

Error Connection::error(int code, std::string_view what) {
  if ((code & 0xff) == SQLITE_INTERRUPT) return interrupted();
  std::string message(what);
  message += ' ';
  message += file_.string();
  message += ": ";
  const bool is_last = (sqlite3_errcode(handle_) & 0xff) == (code & 0xff);
  message += is_last ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  message += advice(code);
  const ErrorKind kind = kind_of(code);
  has_met_damage_ = has_met_damage_ || kind == ErrorKind::corruption;
  return {kind, std::move(message)};
}

bool Connection::needs_rollback() const {
  const int code = sqlite3_extended_errcode(handle_);
  return code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTINIT ||
         code == SQLITE_READONLY_DIRECTORY || code == SQLITE_CANTOPEN;
}

void Connection::keep_log_on_close() { sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

Result<Transaction> Transaction::begin(Connection& connection, Kind kind) {
  // A write transaction takes the lock at once: upgrading later could fail with "busy" after work was done.
  Statement rollback = TRY(connection.prepare("ROLLBACK"));
  Statement begin = TRY(connection.prepare(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN"));
  TRY(begin.run());
  return Transaction(connection, std::move(rollback));
}

Transaction::~Transaction() {
  if (connection_ == nullptr || !connection_->is_in_transaction()) return;
  sqlite3_step(rollback_.statement_);
}

Status Transaction::commit() {
  Statement commit = TRY(connection_->prepare("COMMIT"));
  TRY(commit.run());
  connection_ = nullptr;
  return {};
}

void initialize_sqlite() {
  static const bool kIsDone = [] {
    if (sqlite3_initialize() != SQLITE_OK) return false;  // shows again when a database is opened
    unsigned char seeded = 0;
    sqlite3_randomness(sizeof seeded, &seeded);  // notes the process in another such flag
    return true;
  }();
  static_cast<void>(kIsDone);
}

std::string sqlite_version() { return sqlite3_libversion(); }

Status check_sqlite_version() {
  if (sqlite3_libversion_number() >= kOldestSafeSqlite) return {};
  return Error{ErrorKind::version_mismatch, "SQLite " + sqlite_version() +
                                                " can damage a database that several processes write; 3.51.3 or newer "
                                                "is needed, rebuild Loci with its own SQLite"};
}

}  // namespace loci::sqlite
