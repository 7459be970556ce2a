#include "store/embedded/row_scope.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

std::string plan_of(TestPalace& palace, const RowScope& scope, const std::string& order = "") {
  const auto connection = palace.connect();
  auto plan = connection->prepare("EXPLAIN QUERY PLAN SELECT r.id FROM " + scope.from() + order);
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
  std::string lines;
  while (*plan->step()) lines += std::string(plan->text(3)) + '\n';
  return lines;
}

TEST(RowScopeTest, RowsThatAreNamedAreFoundByTheirNumberAndNothingElseIsRead) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  const Filter anything;
  const Filter in_a_wing = Filter::of({.key = "wing", .op = FilterOperator::eq, .operands = {std::string("w")}});
  const DocumentFilter any_text;
  const std::vector<std::int64_t> rows{1, 2, 3};
  for (const Filter* where : {&anything, &in_a_wing}) {
    const std::string plan = plan_of(palace, RowScope(1, *where, any_text, &rows));
    EXPECT_THAT(plan, testing::HasSubstr("SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"));
  }
}

TEST(RowScopeTest, TheFirstRowsOfOneRoomAreFoundWithoutSortingAll) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  const Filter in_a_room =
      Filter::all_of({Filter::of({.key = "wing", .op = FilterOperator::eq, .operands = {std::string("w")}}),
                      Filter::of({.key = "room", .op = FilterOperator::eq, .operands = {std::string("r")}})});
  const DocumentFilter any_text;
  const std::string plan = plan_of(palace, RowScope(1, in_a_room, any_text), " ORDER BY r.row");
  EXPECT_THAT(plan, testing::HasSubstr("records_by_place"));
  EXPECT_THAT(plan, testing::Not(testing::HasSubstr("TEMP B-TREE")));
}

TEST(RowScopeTest, AWingIsFoundByTheIndexOfPlaces) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  const Filter in_a_wing = Filter::of({.key = "wing", .op = FilterOperator::eq, .operands = {std::string("w")}});
  const DocumentFilter any_text;
  EXPECT_THAT(plan_of(palace, RowScope(1, in_a_wing, any_text)), testing::HasSubstr("records_by_place"));
}

}  // namespace
}  // namespace loci::embedded
