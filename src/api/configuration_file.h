// Configuration files: a flat JSON object of texts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "api/settings.h"
#include "loci/result.h"

namespace loci {

inline constexpr std::size_t kMaxConfigurationBytes = std::size_t{1} << 20;

// The keys of <loci_home>/config.json and of <palace>/palace.json.
std::span<const std::string_view> user_configuration_keys();
std::span<const std::string_view> palace_configuration_keys();

// `path` is for the messages. Errors: invalid_argument: no JSON object (with line and column), an unknown key (with the
// nearest known one), a value that is not a text.
Result<SettingsLayer> parse_configuration(std::string_view content, const std::filesystem::path& path,
                                          std::span<const std::string_view> keys);

// The palace's configuration with what the layer says put in; nothing else changes. Written so that a crash leaves the
// old or the new file. A file that cannot be used is an error, and is left alone.
Status write_palace_configuration(const std::filesystem::path& palace, const SettingsLayer& changes);

// The same for the user's configuration, whose folder is made if it is missing.
Status write_user_configuration(const std::filesystem::path& path, const SettingsLayer& changes);

}  // namespace loci
