// SQLite as this folder uses it: the view of store/sqlite, and connections that know a palace's own functions.
#pragma once

#include <filesystem>
#include <memory>

#include "loci/result.h"
#include "store/sqlite/sqlite.h"

namespace loci::embedded {

using sqlite::Connection;
using sqlite::OpenMode;
using sqlite::Statement;
using sqlite::Transaction;

// What a file that does not hold together is good for: nothing, or what can still be read of it.
enum class Damage { refused, tolerated };

// A connection on which SQL may call what sql_functions.h names.
Result<std::unique_ptr<Connection>> open_connection(const std::filesystem::path& file, OpenMode mode,
                                                    Damage damage = Damage::refused);

}  // namespace loci::embedded
