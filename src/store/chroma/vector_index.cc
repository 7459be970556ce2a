#include "store/chroma/vector_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "vector/memory_file.h"
#include "vector/segment_builder.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kFewestRows = 4'000;                  // fewer are measured in a millisecond or two
constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of codes
constexpr std::size_t kRowsOfCenter = 1'000;                // how many the middle is estimated from
constexpr std::uint64_t kSeed = 20'251'118;

// Calls visit(record, vector) for every record that has one; for cosine the direction is enough.
template <typename Visit>
Status visit_vectors(Connection& connection, const Recovered& recovered, std::size_t step, const Visit& visit) {
  for (std::size_t i = 0; i < recovered.records.size(); i += step) {
    const VectorPlace& place = recovered.records[i].place;
    if (place.kind == VectorPlace::Kind::slot) {
      visit(i, recovered.segments[place.segment]->stored_vector(static_cast<std::size_t>(place.at)));
    } else if (const std::optional<Embedding> queued = TRY(vector_at(connection, recovered, place))) {
      visit(i, std::span<const float>(*queued));
    }
  }
  return {};
}

}  // namespace

bool VectorIndex::is_worth_it(const Recovered& recovered) {
  return recovered.vectors >= kFewestRows && recovered.dimension &&
         recovered.vectors <= kMostBytes / (*recovered.dimension + *recovered.dimension / 8 + 16);
}

Result<std::shared_ptr<const VectorIndex>> VectorIndex::build(Connection& connection, const Recovered& recovered,
                                                              DistanceMetric metric) {
  const std::size_t dimension = *recovered.dimension;
  std::vector<double> sum(dimension);
  std::size_t rows = 0;
  const std::size_t step = std::max<std::size_t>(1, recovered.records.size() / kRowsOfCenter);
  TRY(visit_vectors(connection, recovered, step, [&](std::size_t, std::span<const float> vector) {
    std::vector<float> normal(vector.begin(), vector.end());
    if (!Encoder::normalize(metric, normal)) return;
    for (std::size_t i = 0; i < dimension; ++i) sum[i] += static_cast<double>(normal[i]);
    ++rows;
  }));
  std::vector<float> center(dimension);
  for (std::size_t i = 0; rows > 0 && i < dimension; ++i)
    center[i] = static_cast<float>(sum[i] / static_cast<double>(rows));
  if (!Encoder::can_be_center(center)) return std::shared_ptr<const VectorIndex>();

  SegmentBuilder builder({.palace = std::string(32, '0'),
                          .collection = 1,
                          .generation = 1,
                          .metric = metric,
                          .dimension = static_cast<std::uint32_t>(dimension),
                          .model = {}},
                         center, kSeed);
  builder.reserve(recovered.vectors);
  TRY(visit_vectors(connection, recovered, 1, [&](std::size_t record, std::span<const float> vector) {
    builder.add(static_cast<std::int64_t>(record), vector);
  }));
  if (builder.size() == 0) return std::shared_ptr<const VectorIndex>();
  MemoryFile file;
  TRY(builder.write_to(file));
  std::shared_ptr<VectorIndex> index(new VectorIndex(std::move(file.bytes())));
  index->segment_ = TRY(Segment::from_bytes(index->bytes_));
  return std::shared_ptr<const VectorIndex>(std::move(index));
}

std::optional<std::vector<SegmentCandidate>> VectorIndex::candidates(const Embedding& query,
                                                                     std::size_t n_results) const {
  Result<std::vector<SegmentCandidate>> found = nearest_candidates(*segment_, {.query = query, .results = n_results});
  if (!found.ok()) return {};
  std::sort(found->begin(), found->end(), [](const auto& a, const auto& b) { return a.least() < b.least(); });
  return *std::move(found);
}

}  // namespace loci::chroma
