// Zip archives for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace loci {

// Members as {name, content}, compressed.
std::string make_zip(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace loci
