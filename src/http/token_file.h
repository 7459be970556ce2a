// The server's token: made at the first start, kept in a file that only its owner can read.
#pragma once

#include <filesystem>
#include <string>

#include "loci/result.h"

namespace loci::http {

struct ServerToken {
  std::string token;
  bool is_new = false;  // made by this call; the only time to show it
};

enum class KeepToken { no, yes };

// Reads the file; if there is none, makes a token that nobody can guess, and with KeepToken::yes the file (mode 0600).
// Of several processes that do so at once one makes it, and all get the same. Errors: invalid_argument when others may
// read the file, or it holds no token; io.
Result<ServerToken> load_token(const std::filesystem::path& path, KeepToken keep);

}  // namespace loci::http
