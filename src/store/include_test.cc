#include <gtest/gtest.h>

#include "loci/collection.h"

namespace loci {
namespace {

TEST(IncludeTest, OnlyWhatIsNamedIsIncluded) {
  const std::vector<std::string> names{"embeddings", "documents", "documents"};
  EXPECT_EQ(*parse_include(names), (Include{.metadatas = false, .distances = false, .embeddings = true}));
  const std::vector<std::string> all{"documents", "metadatas", "distances", "embeddings", "details"};
  EXPECT_EQ(*parse_include(all), (Include{.embeddings = true, .details = true}));
  EXPECT_EQ(*parse_include({}), (Include{.documents = false, .metadatas = false, .distances = false}));
}

TEST(IncludeTest, AnUnknownNameIsAnErrorThatSaysWhatThereIs) {
  const std::vector<std::string> names{"documents", "uris"};
  const Result<Include> include = parse_include(names);
  ASSERT_FALSE(include.ok());
  EXPECT_EQ(include.error().kind, ErrorKind::invalid_argument);
  EXPECT_NE(include.error().message.find("\"uris\""), std::string::npos);
  EXPECT_NE(include.error().message.find("metadatas"), std::string::npos);
}

TEST(DistanceMetricTest, NamesAreReadAsTheyArePrinted) {
  for (const DistanceMetric metric : {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip}) {
    EXPECT_EQ(parse_distance_metric(to_string(metric)), metric);
  }
  EXPECT_EQ(parse_distance_metric("Cosine"), std::nullopt);
  EXPECT_EQ(parse_distance_metric(""), std::nullopt);
}

}  // namespace
}  // namespace loci
