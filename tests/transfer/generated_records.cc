#include "tests/transfer/generated_records.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/sha256.h"

namespace loci::transfer {
namespace {

constexpr std::string_view kPieces[] = {"a",
                                        "Z",
                                        " ",
                                        "\n",
                                        "\t",
                                        "\r",
                                        "\"",
                                        "\\",
                                        "/",
                                        "\x01",
                                        "\x1f",
                                        "\x7f",
                                        "é",
                                        "ß",
                                        "ł",
                                        "中",
                                        "日",
                                        "🐢",
                                        "👩‍👩‍👧",
                                        "\u2028",
                                        "\u00a0",
                                        "\ufeff",
                                        "\U0010ffff",
                                        "{",
                                        "}",
                                        "null",
                                        "1.0",
                                        "%s"};
constexpr double kReals[] = {
    0.0, -0.0, 1.0, -1.0, 0.1, 1e308, -1e308, 5e-324, 2.2250738585072014e-308, 9007199254740993.0, 1e22};
constexpr std::int64_t kIntegers[] = {
    0, 1, -1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 9007199254740993};
constexpr float kFloats[] = {0.0F,
                             -0.0F,
                             1.0F,
                             std::numeric_limits<float>::denorm_min(),
                             -std::numeric_limits<float>::denorm_min(),
                             std::numeric_limits<float>::min(),
                             0.1F,
                             16777217.0F,
                             3.4e38F,
                             -3.4e38F};

}  // namespace

std::string RecordGenerator::text(std::size_t most_characters) {
  std::string text;
  for (std::size_t left = below(most_characters + 1); left > 0; --left) text += kPieces[below(std::size(kPieces))];
  return text;
}

double RecordGenerator::real() {
  if (below(2) == 0) return kReals[below(std::size(kReals))];
  const auto value = std::bit_cast<double>(random_());
  return std::isfinite(value) ? value : 0.5;
}

std::int64_t RecordGenerator::integer() {
  return below(2) == 0 ? kIntegers[below(std::size(kIntegers))] : static_cast<std::int64_t>(random_());
}

MetadataValue RecordGenerator::value() {
  const std::size_t length = 1 + below(3);  // of a list
  switch (below(8)) {
    case 0: return text(10);
    case 1: return integer();
    case 2: return real();
    case 3: return below(2) == 0;
    case 4: {
      std::vector<std::string> list(length);
      for (std::string& element : list) element = text(5);
      return list;
    }
    case 5: {
      std::vector<std::int64_t> list(length);
      for (std::int64_t& element : list) element = integer();
      return list;
    }
    case 6: {
      std::vector<double> list(length);
      for (double& element : list) element = real();
      return list;
    }
    default: {
      std::vector<bool> list(length);
      for (std::size_t i = 0; i < length; ++i) list[i] = below(2) == 0;
      return list;
    }
  }
}

Embedding RecordGenerator::vector(std::size_t dimension) {
  Embedding vector(dimension);
  for (float& element : vector) {
    const auto any = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
    element = below(3) == 0 || !std::isfinite(any) ? kFloats[below(std::size(kFloats))] : any;
  }
  vector[below(dimension)] = 1;  // not all zeros
  return vector;
}

RecordDetails RecordGenerator::details(std::size_t number) {
  RecordDetails details;
  if (below(2) == 0) {
    const std::string hash = to_hex(sha256(std::to_string(number)));
    details.key = UniqueKey{.source = "source " + std::to_string(below(5)),
                            .content_hash = hash,
                            .occurrence = static_cast<std::int64_t>(below(3))};
  }
  for (std::size_t links = below(3); links > 0; --links) {
    details.links.insert(details.links.begin(), {.kind = "kind " + std::to_string(links),
                                                 .target_id = "target-" + std::to_string(below(100))});
  }
  details.use_count = static_cast<std::int64_t>(below(1000));
  details.created_at = 1'600'000'000'000 + static_cast<std::int64_t>(below(100'000'000'000));
  details.updated_at = details.created_at + static_cast<std::int64_t>(below(1'000'000));
  return details;
}

std::vector<Record> RecordGenerator::records(std::size_t count, std::size_t dimension) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    Record record{.id = std::to_string(i) + "-" + text(8), .document = text(60)};
    for (std::size_t keys = below(6); keys > 0; --keys) record.metadata["k" + text(3)] = value();
    if (below(4) != 0) record.embedding = vector(dimension);
    record.details = details(i);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace loci::transfer
