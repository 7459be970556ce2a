// JSON as Chroma stores it in its tables. Nothing here throws.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "loci/collection.h"
#include "loci/metadata.h"

namespace loci::chroma {

// The changes that a queue row makes to a record's metadata; nothing: the key goes. Values that Loci has no type for
// (objects, lists of several types) are left out.
using MetadataChanges = std::map<std::string, std::optional<MetadataValue>, std::less<>>;

// From the column `metadata` of the queue, in which Python may have written NaN and Infinity. Nothing when it is no
// JSON object.
std::optional<MetadataChanges> parse_metadata_changes(std::string_view json);
std::string to_json(const MetadataChanges& changes);

// What says how a collection measures distances. In the order in which they are believed.
struct SpaceSources {
  std::string schema = {};                         // collections.schema_str
  std::string configuration = {};                  // collections.config_json_str
  std::optional<std::string> segment_space = {};   // hnsw:space of the vector segment
  std::optional<std::string> metadata_space = {};  // hnsw:space of the collection
  bool segment_has_settings = false;               // any hnsw:* of the vector segment
};
struct Space {
  DistanceMetric metric = DistanceMetric::l2;
  // The configuration says something else, as releases 0.5.4 to 0.6.3 wrote it for every collection.
  bool is_contradicted = false;
  std::optional<std::size_t> neighbours;  // of the index, where the configuration says
};
Space resolve_space(const SpaceSources& sources);

// The configuration of a new collection.
std::string configuration_for(DistanceMetric metric);

}  // namespace loci::chroma
