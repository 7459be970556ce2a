// The product of bytes with int8 weights on processors with AVX-512 VNNI, which Highway 1.0 has no name for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "embed/kernels.h"

namespace loci {

bool has_vnni();

// multiply_int8 for a processor that has_vnni(), and for any.
void multiply_int8_vnni(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales, std::size_t rows,
                        float* out);
void multiply_int8_portable(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
                            std::size_t rows, float* out);

}  // namespace loci
