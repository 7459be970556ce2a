// Importers: from the bytes of a file to sources, one file of code for each format. None of them writes; what they make
// goes to the store on one way (ingest/mine.h). A new format is a new row of the table.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingest/file_walk.h"
#include "ingest/project_config.h"
#include "ingest/skip_rules.h"
#include "loci/source.h"
#include "text/chunk.h"

namespace loci {

// What holds for all files of a run. Constant while importers work.
struct ImportContext {
  std::filesystem::path project_root;
  std::string wing;
  ProjectConfig config;
  ChunkOptions chunks;
  std::string filed_at;  // ISO 8601
};

// A source that is ready to be stored, but for its state.
struct ImportedSource {
  SourceUpdate update;
  std::string room;
  std::size_t replaced_nuls = 0;  // by U+FFFD, since no text may have them
};

struct Importer {
  std::string_view mode;     // "files"; the drawers' metadata `ingest_mode`
  std::string_view version;  // another one makes the drawers anew
  // The sources in a file, or why there are none.
  std::variant<std::vector<ImportedSource>, PassReason> (*import)(const FoundFile& file, std::string bytes,
                                                                  const ImportContext& context);
};

std::span<const Importer* const> importers();
// Null when there is none of that name.
const Importer* find_importer(std::string_view mode);

extern const Importer kFileImporter;
extern const Importer kLocomoImporter;
extern const Importer kLongMemEvalImporter;

// The update that a text becomes: chunks with their keys, ids and positions, and what all of them share.
SourceUpdate make_source_update(std::string name, std::string_view text, std::span<const Chunk> chunks, Metadata shared,
                                std::string_view filed_at);

}  // namespace loci
