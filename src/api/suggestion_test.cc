#include "api/suggestion.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

constexpr std::string_view kNames[] = {"search", "status", "set-embedder", "list", "get", "export"};

TEST(SuggestionTest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_word("serach", kNames), "search");
  EXPECT_EQ(nearest_word("sarch", kNames), "search");
  EXPECT_EQ(nearest_word("setembedder", kNames), "set-embedder");
  EXPECT_EQ(nearest_word("stat", kNames), "status");
  EXPECT_EQ(nearest_word("gte", kNames), "get");
  EXPECT_EQ(did_you_mean("exprot", kNames), "; did you mean export?");
}

TEST(SuggestionTest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_word("banana", kNames), std::nullopt);
  EXPECT_EQ(nearest_word("", kNames), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(100'000, 'x'), kNames), std::nullopt);
  EXPECT_EQ(did_you_mean("banana", kNames), "");
}

}  // namespace
}  // namespace loci
