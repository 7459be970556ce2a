// SHA-256 and hexadecimal text. Any thread may call these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loci {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view content);

// Lower case, two digits a byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

// Either case; nothing for an odd length or any other character.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view hex);

}  // namespace loci
