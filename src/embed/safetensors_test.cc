#include "embed/safetensors.h"

#include <array>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "embed/half_float.h"

namespace loci {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + data;
}

std::string parse_error(const std::string& file) {
  const Result<SafetensorsTable> table =
      parse_safetensors({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}, "w");
  return table.ok() ? "parsed" : table.error().message;
}

constexpr std::array<std::size_t, 1> kTwo = {2};

TEST(SafetensorsTest, ReadsFloatsOfEachWidth) {
  const TemporaryFolder folder;
  const std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
                             R"("c":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
  std::string data = std::string("\x00\x3C\x01\x80", 4) + std::string("\x80\x3F\x00\xC0", 4);
  const std::array<float, 2> floats = {0.1F, -3.0F};
  data.append(reinterpret_cast<const char*>(floats.data()), sizeof floats);
  ASSERT_TRUE(write_file_atomically(folder.path() / "w", file_of(header, data)).ok());
  const auto file = Safetensors::open(folder.path() / "w").value();
  EXPECT_EQ(file->floats("a", kTwo).value(), (std::vector<float>{1.0F, -5.9604645e-8F}));
  EXPECT_EQ(file->floats("b", kTwo).value(), (std::vector<float>{1.0F, -2.0F}));
  EXPECT_EQ(file->floats("c", kTwo).value(), (std::vector<float>{0.1F, -3.0F}));
  EXPECT_TRUE(file->contains("a"));
  EXPECT_FALSE(file->contains("__metadata__"));
}

TEST(SafetensorsTest, NamesTheTensorThatIsMissingOrOfAnotherShapeOrType) {
  const TemporaryFolder folder;
  const std::string header = R"({"a":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}})";
  ASSERT_TRUE(write_file_atomically(folder.path() / "w", file_of(header, std::string(16, '\0'))).ok());
  const auto file = Safetensors::open(folder.path() / "w").value();
  EXPECT_NE(file->floats("b", kTwo).error().message.find("tensor b is missing"), std::string::npos);
  EXPECT_NE(file->floats("a", std::array<std::size_t, 1>{3}).error().message.find("another shape"), std::string::npos);
  EXPECT_EQ(file->floats("a", kTwo).error().kind, ErrorKind::unsupported);
}

TEST(SafetensorsTest, RefusesWhatIsDamaged) {
  EXPECT_NE(parse_error("").find("shorter than its header"), std::string::npos);
  EXPECT_NE(parse_error("PK\3\4 a zip file").find("its header is longer than the file"), std::string::npos);
  EXPECT_NE(parse_error(file_of("[1]", "")).find("not a JSON object"), std::string::npos);
  const auto with = [](const std::string& entry) { return parse_error(file_of("{\"a\":" + entry + "}", "12345678")); };
  EXPECT_NE(with("{}").find("lacks its type"), std::string::npos);
  EXPECT_NE(with(R"({"dtype":7,"shape":[2],"data_offsets":[0,8]})").find("malformed"), std::string::npos);
  EXPECT_NE(with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,9]})").find("cut short"), std::string::npos);
  EXPECT_NE(with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})").find("cut short"), std::string::npos);
  EXPECT_NE(with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})").find("another size"), std::string::npos);
  EXPECT_NE(with(R"({"dtype":"X1","shape":[2],"data_offsets":[0,8]})").find("unknown type"), std::string::npos);
  EXPECT_NE(with(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})").find("another size"),
            std::string::npos);
}

TEST(HalfFloatTest, ConvertsAllKindsOfNumbers) {
  EXPECT_EQ(half_to_float(0x3555), 0.333251953125F);
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0F);
  EXPECT_EQ(half_to_float(0x0400), 6.103515625e-05F);
  EXPECT_EQ(half_to_float(0x8000), 0.0F);
  EXPECT_TRUE(std::isinf(half_to_float(0xFC00)));
  EXPECT_TRUE(std::isnan(half_to_float(0x7E00)));
}

}  // namespace
}  // namespace loci
