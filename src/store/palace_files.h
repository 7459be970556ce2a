// Files in a palace's folder that are no backend's own.
#pragma once

#include <string_view>

namespace loci {

// The palace's own settings. Whoever copies a palace copies them as they stand.
inline constexpr std::string_view kPalaceConfigurationName = "palace.json";

}  // namespace loci
