// Chroma's migrations, in the order in which it makes a database by them.
//
// A database records each with its name, its text and the hash of that. Chroma compares all three with its own and
// refuses a database in which one differs. The texts are Chroma's, so that they are not here but come out of its
// package.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci::chroma {

struct Migration {
  std::string_view kind;
  int version;
  std::string_view file;
  std::string_view hash;  // the text's MD5
  std::size_t size;       // the text's, in bytes
};

inline constexpr auto kMigrations = std::to_array<Migration>({
    {"sysdb", 1, "00001-collections.sqlite.sql", "38352d725ad1c16074fac420b22b4633", 355},
    {"sysdb", 2, "00002-segments.sqlite.sql", "2913cb6a503055a95f625448037e8912", 385},
    {"sysdb", 3, "00003-collection-dimension.sqlite.sql", "42d22d0574d31d419c2a0e7f625c93aa", 54},
    {"sysdb", 4, "00004-tenants-databases.sqlite.sql", "048867ce8fcdefe4023c7110e4433591", 1228},
    {"sysdb", 5, "00005-remove-topic.sqlite.sql", "b1367c826b8fba5f96f27befdc1d42d2", 152},
    {"sysdb", 6, "00006-collection-segment-metadata.sqlite.sql", "4eea7468935bf25d4604a0fed2366116", 396},
    {"sysdb", 7, "00007-collection-config.sqlite.sql", "1c7e63bba346a42a18b6ab7f1c989bed", 106},
    {"sysdb", 8, "00008-maintenance-log.sqlite.sql", "0a0e7e93111a01789addf64961c6127c", 248},
    {"sysdb", 9, "00009-segment-collection-not-null.sqlite.sql", "054355aef9e63702bf54ea29e61563f1", 327},
    {"metadb", 1, "00001-embedding-metadata.sqlite.sql", "2b4cf52c4bb2676e21d6860a4409f856", 600},
    {"metadb", 2, "00002-embedding-metadata.sqlite.sql", "12a570f7121b3a8ce750a2a7c36da20f", 334},
    {"metadb", 3, "00003-full-text-tokenize.sqlite.sql", "f97ad6334aeaa8f419f01110b648b97a", 236},
    {"metadb", 4, "00004-metadata-indices.sqlite.sql", "fb36603a45ee2cd0254cef3ef86585e8", 387},
    {"metadb", 5, "00005-max-seq-id-int.sqlite.sql", "0e9de46758761b373ce682925edcc326", 1449},
    {"embeddings_queue", 1, "00001-embeddings.sqlite.sql", "d3755dfd232be8e8301f4d7fcfb3a486", 261},
    {"embeddings_queue", 2, "00002-embeddings-queue-config.sqlite.sql", "8fbfe4ffb3e57f1d8bfdc58510a82e85", 95},
});

using MigrationTexts = std::array<std::string, kMigrations.size()>;

// From the file that tools/setup.sh makes of Chroma's package: the texts, one right after the other. Errors:
// unavailable, which names the command that fetches them, also for a file that holds anything else.
Result<MigrationTexts> read_migration_texts(const std::filesystem::path& file);

}  // namespace loci::chroma
