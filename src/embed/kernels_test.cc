#include "embed/kernels.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "embed/vnni.h"

namespace loci {
namespace {

class Numbers {
 public:
  float next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<float>(state_ >> 8) / 8388608.0F - 1.0F;
  }
  std::vector<float> many(std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = next();
    return values;
  }

 private:
  std::uint32_t state_ = 1;
};

// Int8 panels of random weights.
struct Int8Dense {
  Int8Dense(std::size_t inputs, std::size_t outputs, Numbers& numbers)
      : bias(numbers.many(outputs)), scales(outputs, 0.01F), sums(outputs, 0) {
    for (std::size_t i = 0; i < inputs * outputs; ++i) {
      panels.push_back(static_cast<std::int8_t>(std::lround(numbers.next() * 127.0F)));
      sums[i / (inputs * kPanelWidth) * kPanelWidth + i / kInputGroup % kPanelWidth] += panels.back();
    }
    weights = {.inputs = inputs,
               .outputs = outputs,
               .bias = bias.data(),
               .int8_panels = panels.data(),
               .scales = scales.data(),
               .sums = sums.data()};
  }
  std::vector<float> bias;
  std::vector<float> scales;
  std::vector<std::int32_t> sums;
  std::vector<std::int8_t> panels;
  DenseWeights weights;
};

TEST(KernelsTest, AByteProductIsTheSumOfItsParts) {
  Numbers numbers;
  const Int8Dense dense(32, 80, numbers);
  for (const std::size_t rows : {1U, 2U, 3U, 4U, 5U, 6U, 13U}) {
    const std::vector<float> in = numbers.many(rows * 32);
    std::vector<std::uint8_t> bytes(in.size());
    std::vector<RowScale> scales(rows);
    quantize_rows(in.data(), rows, 32, bytes.data(), scales.data());
    std::vector<float> out(rows * 80);
    multiply_int8_portable(dense.weights, bytes.data(), scales.data(), rows, out.data());
    for (std::size_t at = 0; at < out.size(); ++at) {
      const std::size_t row = at / 80;
      const std::size_t column = at % 80;
      double sum = 0;
      for (std::size_t k = 0; k < 32; ++k) {
        const std::size_t panel = column / kPanelWidth * 32 * kPanelWidth + k / kInputGroup * 64 +
                                  column % kPanelWidth * kInputGroup + k % kInputGroup;
        sum += double(bytes[row * 32 + k] - scales[row].zero) * double(scales[row].scale) *
               double(dense.panels[panel]) * 0.01;
      }
      EXPECT_NEAR(out[at], sum + double{dense.bias[column]}, 1e-4);
    }
    if (!has_vnni()) continue;
    std::vector<float> same(out.size());
    multiply_int8_vnni(dense.weights, bytes.data(), scales.data(), rows, same.data());
    EXPECT_EQ(same, out) << rows << " rows";
  }
}

TEST(KernelsTest, QuantizedRowsKeepTheirValues) {
  Numbers numbers;
  std::vector<float> in = numbers.many(64);
  for (std::size_t i = 32; i < 64; ++i) in[i] = 0;  // a row of zeros has no range
  std::vector<std::uint8_t> bytes(64);
  std::vector<RowScale> scales(2);
  quantize_rows(in.data(), 2, 32, bytes.data(), scales.data());
  for (std::size_t i = 0; i < 64; ++i) {
    const RowScale scale = scales[i / 32];
    EXPECT_NEAR(static_cast<float>(bytes[i] - scale.zero) * scale.scale, in[i], scale.scale);
  }
}

TEST(KernelsTest, GeluIsThatOfTheErrorFunction) {
  std::vector<float> values;
  for (int i = -800; i < 800; ++i) values.push_back(static_cast<float>(i) / 64.0F);
  std::vector<float> out = values;
  apply_gelu(out.data(), out.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = double{values[i]};
    EXPECT_NEAR(out[i], x * (1 + std::erf(x / std::sqrt(2.0))) / 2, 1e-6) << x;
  }
}

TEST(KernelsTest, NormalizedRowsHaveMeanZeroAndVarianceOne) {
  Numbers numbers;
  std::vector<float> values = numbers.many(64);
  const std::vector<float> ones(64, 1.0F);
  const std::vector<float> zeros(64, 0.0F);
  normalize_rows({ones.data(), zeros.data()}, 1e-12F, values.data(), 1, 64);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    sum += double{value};
    squares += double{value} * double{value};
  }
  EXPECT_NEAR(sum, 0, 1e-4);
  EXPECT_NEAR(squares, 64, 1e-3);
}

}  // namespace
}  // namespace loci
