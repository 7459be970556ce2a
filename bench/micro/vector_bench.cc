// How fast are the inner loops of the vector index? 384 dimensions, data in the nearest caches.
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "vector/codes.h"
#include "vector/kernels.h"
#include "vector/segment_blocks.h"
#include "vector/test_vectors.h"

namespace loci {
namespace {

constexpr std::size_t kDimension = 384;

struct Coded {
  std::mt19937 random{1};
  Encoder encoder{DistanceMetric::cosine, std::vector<float>(kDimension), 1};
  std::vector<std::int8_t> codes = std::vector<std::int8_t>(kBlockRows * kDimension);
  std::vector<RowFactors> factors = std::vector<RowFactors>(kBlockRows);
  std::vector<std::uint8_t> block = std::vector<std::uint8_t>(block_bytes(kDimension));
  std::vector<float> vector = random_vector(random, kDimension);
  DistanceByCode query = *DistanceByCode::to(encoder, vector);

  Coded() {
    for (std::size_t row = 0; row < kBlockRows; ++row)
      encoder.encode(random_vector(random, kDimension), codes.data() + row * kDimension, factors[row]);
    make_block(codes.data(), factors, kDimension, block.data());
  }
};

void bits(benchmark::State& state) {
  const Coded coded;
  std::vector<float> estimates(kBlockRows);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        estimate_block(BlockView(coded.block, kDimension)[0], coded.query.tables(), 0, estimates.data()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBlockRows));
}
BENCHMARK(bits);

void bytes(benchmark::State& state) {
  const Coded coded;
  std::vector<std::int32_t> dots(kBlockRows);
  for (auto _ : state) {
    dots_of_codes(coded.codes.data(), kBlockRows, kDimension, coded.query.values().data(), dots.data());
    benchmark::DoNotOptimize(dots.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBlockRows));
}
BENCHMARK(bytes);

void floats(benchmark::State& state) {
  const Coded coded;
  for (auto _ : state)
    benchmark::DoNotOptimize(dot_of_floats(coded.vector.data(), coded.query.rotated().data(), kDimension));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(floats);

void encode(benchmark::State& state) {
  Coded coded;
  for (auto _ : state) coded.encoder.encode(coded.vector, coded.codes.data(), coded.factors[0]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(encode);

void prepare_query(benchmark::State& state) {
  const Coded coded;
  for (auto _ : state) benchmark::DoNotOptimize(DistanceByCode::to(coded.encoder, coded.vector));
}
BENCHMARK(prepare_query);

}  // namespace
}  // namespace loci
