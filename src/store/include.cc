// The small vocabularies of include/loci/collection.h.
#include <fmt/format.h>

#include "loci/collection.h"
#include "store/contract.h"

namespace loci {

std::optional<DistanceMetric> parse_distance_metric(std::string_view name) {
  for (const DistanceMetric metric : {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip}) {
    if (name == to_string(metric)) return metric;
  }
  return std::nullopt;
}

Result<Include> parse_include(std::span<const std::string> names) {
  Include include{.documents = false, .metadatas = false, .distances = false, .embeddings = false, .details = false};
  for (const std::string& name : names) {
    if (name == "documents") {
      include.documents = true;
    } else if (name == "metadatas") {
      include.metadatas = true;
    } else if (name == "distances") {
      include.distances = true;
    } else if (name == "embeddings") {
      include.embeddings = true;
    } else if (name == "details") {
      include.details = true;
    } else {
      return Error{ErrorKind::invalid_argument,
                   fmt::format("include has no part {}; it has documents, metadatas, distances, embeddings and details",
                               in_quotes(name))};
    }
  }
  return include;
}

}  // namespace loci
