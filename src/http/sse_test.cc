#include "http/sse.h"

#include <gtest/gtest.h>

namespace loci::http {
namespace {

TEST(SseTest, WritesOneEvent) {
  EXPECT_EQ(sse_event("{}"), "event: message\ndata: {}\n\n");
  EXPECT_EQ(sse_event("{}", "7"), "id: 7\nevent: message\ndata: {}\n\n");
}

TEST(SseTest, CannotBeMadeToWriteASecondEvent) {
  EXPECT_EQ(sse_event("a\n\nevent: b\r\ndata: c\rd"),
            "event: message\ndata: a\ndata: \ndata: event: b\ndata: data: c\ndata: d\n\n");
}

TEST(SseTest, WritesAnEmptyEventThatOnlyCarriesAnId) { EXPECT_EQ(sse_event("", "1"), "id: 1\ndata: \n\n"); }

}  // namespace
}  // namespace loci::http
