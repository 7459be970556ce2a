#include "base/count_characters.h"

#include <cstdint>
#include <cstring>

namespace loci {
namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101U;

}  // namespace

// Every byte but those that continue a character; eight at a time, since whole files are counted.
std::size_t count_characters(std::string_view text) {
  std::size_t continuations = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    continuations += (((bytes >> 7) & ~(bytes >> 6) & kEachByte) * kEachByte) >> 56;
  }
  for (; at < text.size(); ++at) continuations += (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U ? 1 : 0;
  return text.size() - continuations;
}

}  // namespace loci
