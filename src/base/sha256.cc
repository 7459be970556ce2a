#include "base/sha256.h"

#include <cstdlib>

#include <openssl/evp.h>

namespace loci {
namespace {

// Fetching an algorithm takes a lock and a search by name inside OpenSSL, several times the cost of a short digest;
// so it happens once. It lives as long as the process.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kAlgorithm;
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

Sha256 sha256(std::string_view content) {
  Sha256 digest{};
  unsigned int size = 0;
  const EVP_MD* const algorithm = sha256_algorithm();
  // Ids are made from digests: to go on with a wrong one would be worse than to stop.
  if (algorithm == nullptr ||
      EVP_Digest(content.data(), content.size(), digest.data(), &size, algorithm, nullptr) != 1 ||
      size != digest.size()) {
    std::abort();
  }
  return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    const int high = hex_value(hex[at]);
    const int low = hex_value(hex[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

}  // namespace loci
