// Databases of memtomem, to be read and migrated from: a backend that writes nothing.
//
// A palace is the file memtomem.db, or the folder that holds it; it has one collection, `drawers`, whose records are
// the chunks. A private copy of the database is read, so that not a byte beside the original changes. Metadata:
// source_file, line_start, line_end, namespace (also as the wing), tags, heading, kind, language, scope, project_root,
// valid_from, valid_to (Unix seconds), importance. Access counts are use counts; relations and links are links. Rows
// that old races doubled (same namespace, file, text and first line) are one record: the oldest, with the tags, links
// and counts of all.
#pragma once

#include <memory>

#include "loci/backend.h"

namespace loci {

std::unique_ptr<Backend> make_memtomem_backend();

}  // namespace loci
