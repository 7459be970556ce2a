// Records and their metadata as JSON.
#pragma once

#include "api/caller.h"
#include "api/json.h"
#include "loci/metadata.h"
#include "loci/record.h"
#include "loci/result.h"

namespace loci {

Json to_json(const Metadata& metadata);

// From an object of texts, numbers, booleans and lists of one such type. Errors: invalid_argument, naming the key.
Result<Metadata> metadata_from_json(const Json& object);

// {"id", "wing", "room", "source", "filed_at", "document", "metadata"}; the four in between are null where the metadata
// has no such text. With details, a mined drawer also has its "content_hash". A plain one has no "metadata".
Json drawer_to_json(const Record& record, DrawerParts parts = DrawerParts::all);

}  // namespace loci
