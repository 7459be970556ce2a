// What the process was started in. Read once, by main; everything below gets it as a value.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/settings.h"
#include "cli/terminal.h"

namespace loci {

// The value of a variable; nothing when it is not set or empty.
using Variables = std::function<std::optional<std::string>(std::string_view name)>;

// Of this process.
std::optional<std::string> process_variable(std::string_view name);

// LOCI_HOME, LOCI_PALACE, LOCI_BACKEND, LOCI_COLLECTION, LOCI_NAMESPACE, LOCI_EMBEDDER, LOCI_EMBEDDER_URL,
// LOCI_EMBEDDER_KEY (or OPENAI_API_KEY), LOCI_EMBED, LOCI_MODELS, LOCI_CONFIG and HOME.
SettingsSources sources_from(const Variables& variables);

// How to write to the open file: NO_COLOR, TERM, COLUMNS, and what the file is.
Terminal terminal_for(int descriptor, const Variables& variables);

}  // namespace loci
