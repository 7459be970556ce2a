// "Did you mean": the known word that is nearest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loci {

// Nothing when no candidate is near enough to be what was meant.
std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean search?", or "" when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace loci
