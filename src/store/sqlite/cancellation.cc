#include "store/sqlite/cancellation.h"

#include <sqlite3.h>

#include "store/sqlite/sqlite.h"

namespace loci::sqlite {
namespace {

// Of SQLite's virtual machine: less than a millisecond, and asking costs nothing beside them.
constexpr int kInstructionsPerQuestion = 1000;

int ask(void* is_cancelled) { return (*static_cast<const IsCancelled*>(is_cancelled))() ? 1 : 0; }

}  // namespace

Error interrupted() { return {ErrorKind::unavailable, "the work was interrupted"}; }

Status check_wanted(const IsCancelled& is_cancelled) {
  if (is_cancelled && is_cancelled()) return interrupted();
  return {};
}

CancellableStatements::CancellableStatements(Connection& connection, const IsCancelled& is_cancelled)
    : connection_(connection) {
  if (!is_cancelled) return;
  sqlite3_progress_handler(connection.handle(), kInstructionsPerQuestion, ask,
                           const_cast<void*>(static_cast<const void*>(&is_cancelled)));
}

CancellableStatements::~CancellableStatements() { sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr); }

}  // namespace loci::sqlite
