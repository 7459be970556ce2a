// What the search reads out of a drawer's metadata, as mining writes it.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "loci/record.h"

namespace loci::drawer_metadata {

inline constexpr std::string_view kWing = "wing";
inline constexpr std::string_view kRoom = "room";
inline constexpr std::string_view kSource = "source_file";
inline constexpr std::string_view kDate = "content_date";
inline constexpr std::string_view kFiledAt = "filed_at";  // counts where there is no content date
inline constexpr std::string_view kSpeaker = "speaker";   // of several: joined by ", "
inline constexpr std::string_view kRole = "role";         // likewise

// Empty: it has none, or it is no text. Valid as long as the metadata.
inline std::string_view text(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  const auto* value = found == metadata.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace loci::drawer_metadata
