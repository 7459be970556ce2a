// Chroma folders as palaces: chroma.sqlite3 and the folders of its vector indexes, of releases 0.4 to 1.5.
#pragma once

#include <memory>

#include "loci/backend.h"
#include "store/chroma/folder_palace.h"

namespace loci {

// Folders only. See store/chroma/chroma_backend.h for both kinds of palaces.
std::unique_ptr<Backend> make_chroma_folder_backend(const chroma::FolderOptions& options = {});

}  // namespace loci
