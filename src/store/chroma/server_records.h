// Records in the JSON of a Chroma server. Pure functions; any thread may call them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "loci/metadata.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/json.h"

namespace loci::chroma {

// float32, little end first, in base64: what add, upsert and update take beside lists of numbers.
std::string base64_of(std::span<const float> vector);

// Values of the record, and a null for each key of `old` that it lacks: the server merges what it gets into what it
// has. Null when there is nothing to say.
Json metadata_to_json(const Metadata& metadata, const Metadata& old = {});

// From the answer of get: one record per id, with what the answer has of each. Errors: io for an answer of another
// shape.
Result<std::vector<Record>> records_from_get(const Json& answer);

}  // namespace loci::chroma
