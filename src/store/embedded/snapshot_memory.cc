#include "store/embedded/snapshot_memory.h"

#include <new>

namespace loci::embedded {
namespace {

constexpr char kMemoryName[] = "loci:snapshot";

void delete_memory(void* memory) { const std::unique_ptr<SnapshotMemory> owned(static_cast<SnapshotMemory*>(memory)); }

}  // namespace

CollectionMemory* SnapshotMemory::of(Connection& connection, std::int64_t collection) {
  sqlite3* const handle = connection.handle();
  auto* const memory = static_cast<SnapshotMemory*>(sqlite3_get_clientdata(handle, kMemoryName));
  // A transaction that has begun and read nothing yet has no snapshot.
  if (memory == nullptr || sqlite3_txn_state(handle, "main") != SQLITE_TXN_READ) return nullptr;
  unsigned version = 0;
  if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version) != SQLITE_OK) return nullptr;
  if (memory->version_ != version) memory->collections_.clear();
  memory->version_ = version;
  return &memory->collections_[collection];
}

int SnapshotMemory::prepare(sqlite3* handle) {
  try {
    auto memory = std::make_unique<SnapshotMemory>();
    return sqlite3_set_clientdata(handle, kMemoryName, static_cast<void*>(memory.release()), delete_memory);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

}  // namespace loci::embedded
