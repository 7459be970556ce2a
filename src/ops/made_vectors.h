// Vectors for benches that have no data of their own. The same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "loci/record.h"

namespace loci {

enum class VectorShape {
  clustered,  // around centres, as the vectors of texts are
  isotropic,  // in all directions alike: the nearest is hardly nearer than the rest, the hardest there is
};
std::optional<VectorShape> parse_vector_shape(std::string_view name);

struct MadeVectors {
  VectorShape shape = VectorShape::clustered;
  std::size_t dimension = 384;
  std::size_t clusters = 1'000;
  std::uint64_t seed = 1;    // the centres
  std::uint64_t stream = 0;  // which sequence around the same centres: rows and queries take different ones
};

// An endless sequence of unit vectors. For one thread.
class VectorMaker {
 public:
  explicit VectorMaker(const MadeVectors& what);

  Embedding next();

 private:
  Embedding direction(std::mt19937_64& random) const;

  MadeVectors what_;
  std::mt19937_64 random_;
  std::vector<Embedding> centres_;
};

}  // namespace loci
