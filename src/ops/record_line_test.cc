#include "ops/record_line.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

const CollectionInfo kCollection{.name = "drawers", .metric = DistanceMetric::l2, .dimension = 2, .model = "m"};

std::string line_of(const Record& record, ExportVectors vectors = ExportVectors::include) {
  std::string line;
  const Status status = append_record_line(line, kCollection, record, vectors);
  EXPECT_TRUE(status.ok());
  return line;
}

std::string reason_for(std::string_view line) {
  const Result<RecordLine> parsed = parse_record_line(line);
  return parsed.ok() ? "accepted" : parsed.error().message;
}

TEST(RecordLineTest, HasAFixedForm) {
  const Record record{.id = "a",
                      .document = "one\ntwo",
                      .metadata = {{"room", std::string("r")}, {"n", std::int64_t{1}}},
                      .embedding = Embedding{0.5F, -1},
                      .details = RecordDetails{.key = UniqueKey{.source = "s", .content_hash = "00", .occurrence = 2},
                                               .links = {{.kind = "k", .target_id = "b"}},
                                               .use_count = 3,
                                               .created_at = 4,
                                               .updated_at = 5}};
  EXPECT_EQ(
      line_of(record),
      R"({"collection":"drawers","id":"a","document":"one\ntwo","metadata":{"n":1,"room":"r"},"embedding":[0.5,-1],)"
      R"("loci":{"key":{"source":"s","content_hash":"00","occurrence":2},"links":[{"kind":"k","target_id":"b"}],)"
      R"("use_count":3,"created_at":4,"updated_at":5,"metric":"l2","model":"m","dimension":2}})"
      "\n");
  EXPECT_EQ(line_of({.id = "a"}, ExportVectors::leave_out),
            R"({"collection":"drawers","id":"a","document":"","metadata":{},"loci":{"metric":"l2"}})"
            "\n");
}

TEST(RecordLineTest, AWholeRecordReadsBackAsItWas) {
  Record record{.id = "🐢", .document = "tab\tquote\"back\\slash\x7f\u2028 é"};
  record.metadata = {{"string", std::string("x")},
                     {"least", std::numeric_limits<std::int64_t>::min()},
                     {"greatest", std::numeric_limits<std::int64_t>::max()},
                     {"one", 1.0},
                     {"minus zero", -0.0},
                     {"huge", 1e308},
                     {"tiny", 5e-324},
                     {"yes", true},
                     {"strings", std::vector<std::string>{"a", ""}},
                     {"integers", std::vector<std::int64_t>{1, 2}},
                     {"reals", std::vector<double>{1, 0.1}},
                     {"booleans", std::vector<bool>{false, true}},
                     {"", std::string("empty name")}};
  record.embedding =
      Embedding{std::numeric_limits<float>::denorm_min(), -0.0F, 0.1F, std::numeric_limits<float>::max()};
  record.details = RecordDetails{.key = {}, .links = {}, .use_count = 0, .created_at = 1, .updated_at = 1};

  const std::string line = line_of(record);
  const Result<RecordLine> parsed = parse_record_line(line);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->record, record);
  EXPECT_EQ(parsed->collection, "drawers");
  EXPECT_EQ(parsed->metric, DistanceMetric::l2);
  EXPECT_EQ(parsed->model, "m");
  EXPECT_EQ(parsed->dimension, 2U);
  EXPECT_EQ(line_of(parsed->record), line);
}

TEST(RecordLineTest, ALineNeedsOnlyIdAndDocument) {
  const Result<RecordLine> parsed = parse_record_line(R"({"document":"d","id":"a"})");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->record, (Record{.id = "a", .document = "d"}));
  EXPECT_EQ(parsed->collection, "");
}

TEST(RecordLineTest, NullMeansNothing) {
  const Result<RecordLine> parsed =
      parse_record_line(R"({"collection":null,"id":"a","document":null,"metadata":null,"embedding":null,"loci":null})");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->record, Record{.id = "a"});
}

TEST(RecordLineTest, OneDoesNotEqualOnePointZero) {
  const Result<RecordLine> parsed = parse_record_line(R"({"id":"a","document":"","metadata":{"i":1,"r":1.0,"e":1e0}})");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->record.metadata, (Metadata{{"i", std::int64_t{1}}, {"r", 1.0}, {"e", 1.0}}));
}

TEST(RecordLineTest, RefusesWhatIsNoRecord) {
  EXPECT_EQ(reason_for("hello"), "column 1: this is not JSON; here should be an object");
  EXPECT_EQ(reason_for("[]"), "column 1: here is a list, but it should be an object");
  EXPECT_EQ(reason_for(R"({"document":"d"})"), "column 17: the field id is missing");
  EXPECT_EQ(reason_for(R"({"id":"a"})"), "column 11: the field document is missing");
  EXPECT_EQ(reason_for(R"({"id":1,"document":"d"})"), "column 7: here is a number, but it should be a string");
  EXPECT_EQ(reason_for(R"({"id":null,"document":"d"})"), "column 7: here is null, but it should be a string");
  EXPECT_EQ(reason_for("{\"id\":\"\xff\",\"document\":\"d\"}"), "the line is not valid UTF-8");
  EXPECT_EQ(reason_for("{\"id\":\"\xed\xa0\x80\",\"document\":\"d\"}"), "the line is not valid UTF-8");
  EXPECT_NE(reason_for(R"({"id":"a","document":"d","text":"x"})").find("unknown field \"text\""), std::string::npos);
  EXPECT_NE(reason_for(R"({"id":"a","document":"d","loci":{"tags":[]}})").find("newer Loci"), std::string::npos);
}

TEST(RecordLineTest, RefusesMetadataThatIsNotFlat) {
  const auto reason = [](const std::string& value) {
    return reason_for(R"({"id":"a","document":"","metadata":{"k":)" + value + "}}");
  };
  EXPECT_EQ(reason("1"), "accepted");
  EXPECT_EQ(reason("[]"), "accepted");
  for (const char* value : {"{}", "null", "[[1]]", "[{}]", "[null]", "[1,\"a\"]", "[1,1.0]", "[true,1]", "NaN", "1e999",
                            "9223372036854775808", "-9223372036854775809", "\"\\ud800\"", "\"\\u0000\""}) {
    EXPECT_NE(reason(value), "accepted") << value;
  }
}

TEST(RecordLineTest, RefusesNestingOfAnyDepthWithoutRecursion) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(reason_for(R"({"id":"a","document":"","metadata":{"k":)" + deep), "accepted");
  EXPECT_NE(reason_for(R"({"id":"a","document":"","embedding":)" + deep), "accepted");
}

TEST(RecordLineTest, RefusesVectorsThatAreNone) {
  const auto reason = [](const std::string& value) {
    return reason_for(R"({"id":"a","document":"","embedding":)" + value + "}");
  };
  EXPECT_EQ(reason("[1,2.5,-1e-3]"), "accepted");
  for (const char* value : {"\"AAAA\"", "[\"1\"]", "[null]", "[NaN]", "[1e39]", "[1,]", "1", "{}"}) {
    EXPECT_NE(reason(value), "accepted") << value;
  }
}

TEST(RecordLineTest, RefusesDetailsThatAreIncomplete) {
  const auto reason = [](const std::string& value) {
    return reason_for(R"({"id":"a","document":"","loci":)" + value + "}");
  };
  EXPECT_EQ(reason("{}"), "accepted");
  EXPECT_EQ(reason(R"({"key":{"source":"s","content_hash":"00","occurrence":0}})"), "accepted");
  for (const char* value :
       {R"({"key":{"source":"s"}})", R"({"key":{"source":"s","content_hash":"00","occurrence":1.5}})",
        R"({"links":[{"kind":"k"}]})", R"({"links":{}})", R"({"metric":"hamming"})", R"({"dimension":0})",
        R"({"use_count":"1"})"}) {
    EXPECT_NE(reason(value), "accepted") << value;
  }
}

TEST(RecordLineTest, ANumberThatJsonCannotHoldIsAnError) {
  std::string line = "before";
  const Record bad_metadata{.id = "a", .metadata = {{"k", std::numeric_limits<double>::infinity()}}};
  const Status status = append_record_line(line, kCollection, bad_metadata, ExportVectors::include);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::corruption);
  EXPECT_EQ(line, "before");
  const Record bad_vector{.id = "a", .embedding = Embedding{std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_FALSE(append_record_line(line, kCollection, bad_vector, ExportVectors::include).ok());
}

}  // namespace
}  // namespace loci
