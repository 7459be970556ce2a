#include "embed/onnx_weights.h"

#include <array>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

std::string integer(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string field(std::uint64_t number, const std::string& bytes) {
  return integer(number << 3 | 2) + integer(bytes.size()) + bytes;
}
std::string field(std::uint64_t number, std::uint64_t value) { return integer(number << 3) + integer(value); }

std::string raw(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}
// A tensor of the graph: type 1 is float, 2 an unsigned byte.
std::string tensor(const std::string& name, const std::vector<std::uint64_t>& shape, std::uint64_t type,
                   const std::string& numbers) {
  std::string message;
  for (const std::uint64_t size : shape) message += field(1, size);
  return field(5, message + field(2, type) + field(8, name) + numbers);
}
std::string node(const std::string& name, const std::string& second_input) {
  return field(1, field(1, std::string("x")) + field(1, second_input) + field(3, name));
}

constexpr std::array<std::size_t, 1> kTwo = {2};
constexpr std::array<std::size_t, 2> kThreeByTwo = {3, 2};

std::string graph() {
  return field(7, tensor("a.bias", {2}, 1, field(9, raw({1, 2}))) + tensor("s", {2}, 1, field(4, raw({3, 4}))) +
                      tensor("m", {2, 3}, 1, field(9, raw({1, 2, 3, 4, 5, 6}))) + node("/a/layer.0/b/MatMul", "m") +
                      tensor("q_quantized", {2, 3}, 2, field(9, std::string("\x80\x81\x82\x7F\x7E\x7D"))) +
                      tensor("q_scale", {}, 1, field(4, raw({0.5F}))) +
                      tensor("q_zero_point", {}, 2, field(5, integer(128))) +
                      node("/a/layer.1/b/MatMul_quant", "q_quantized") +
                      tensor("nan", {2}, 1, field(9, raw({1, std::numeric_limits<float>::quiet_NaN()}))));
}

class OnnxWeightsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file_atomically(folder_.path() / "w.onnx", graph()).ok());
    weights_ = OnnxWeights::open(folder_.path() / "w.onnx").value();
  }
  std::string error(std::string_view name, std::span<const std::size_t> shape) const {
    const Result<std::vector<float>> values = weights_->floats(name, shape);
    return values.ok() ? "read" : values.error().message;
  }

  TemporaryFolder folder_;
  std::unique_ptr<OnnxWeights> weights_;
};

TEST_F(OnnxWeightsTest, ReadsBlocksAndLists) {
  EXPECT_EQ(weights_->floats("a.bias", kTwo).value(), (std::vector<float>{1, 2}));
  EXPECT_EQ(weights_->floats("s", kTwo).value(), (std::vector<float>{3, 4}));
}

TEST_F(OnnxWeightsTest, FindsAMatrixByTheNodeThatUsesItAndTurnsIt) {
  EXPECT_EQ(weights_->floats("a.layer.0.b.weight", kThreeByTwo).value(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(OnnxWeightsTest, ScalesBytes) {
  EXPECT_EQ(weights_->floats("a.layer.1.b.weight", kThreeByTwo).value(),
            (std::vector<float>{0, -0.5F, 0.5F, -1, 1, -1.5F}));
}

TEST_F(OnnxWeightsTest, NamesTheTensorThatIsWrong) {
  EXPECT_NE(error("b.bias", kTwo).find("tensor b.bias is missing"), std::string::npos);
  EXPECT_NE(error("a.bias", kThreeByTwo).find("another shape"), std::string::npos);
  EXPECT_NE(error("nan", kTwo).find("not finite"), std::string::npos);
}

TEST(OnnxTableTest, RefusesAFileThatIsCutAnywhere) {
  const std::string whole = graph();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const Result<OnnxTable> table = parse_onnx(cut, "w.onnx");
    ASSERT_FALSE(table.ok()) << size;
    EXPECT_EQ(table.error().kind, ErrorKind::corruption);
  }
}

}  // namespace
}  // namespace loci
