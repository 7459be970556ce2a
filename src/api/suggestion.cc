#include "api/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace loci {
namespace {

// Words longer than this are no typing mistake of a name; it also bounds the work.
constexpr std::size_t kMaxLength = 64;

// Insertions, deletions, replacements and swaps of neighbours ("serach") that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kMaxLength) return std::nullopt;
  std::optional<std::string_view> nearest;
  // One mistake in a short word, more in a longer one; "serv" may also be the beginning of "server".
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const bool is_beginning = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t distance = is_beginning ? 1 : edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> nearest = nearest_word(word, candidates);
  return nearest ? "; did you mean " + std::string(*nearest) + "?" : "";
}

}  // namespace loci
