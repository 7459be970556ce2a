#include "store/contract.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/test_filters.h"

namespace loci {
namespace {

using testing::HasSubstr;

const std::string kHash(64, 'a');

BackendInfo backend_with(std::string_view token) {
  BackendInfo info;
  info.name = "loci";
  info.capabilities.emplace(token);
  return info;
}
Status check_one(const Record& record, const WriteLimits& limits = {}) {
  return check_records(std::span(&record, 1), limits);
}

TEST(ContractTest, ARecordOfEverythingPasses) {
  const Record record{.id = "a1",
                      .document = "Zürich 🦊",
                      .metadata = {{"s", std::string("")},
                                   {"i", std::int64_t{1}},
                                   {"r", 0.5},
                                   {"b", true},
                                   {"list", std::vector<std::string>{"x", "y"}},
                                   {"bools", std::vector<bool>{true, false}}},
                      .embedding = Embedding{0.0F, 1e-40F},
                      .details = RecordDetails{.key = UniqueKey{.source = "notes.md", .content_hash = kHash},
                                               .links = {{.kind = "see", .target_id = "a2"}},
                                               .use_count = 3}};
  EXPECT_TRUE(check_one(record).ok());
  EXPECT_TRUE(check_records({}).ok());
}

TEST(ContractTest, IdsHaveOneTo1024BytesOfText) {
  EXPECT_TRUE(check_one({.id = std::string(kMaxIdBytes, 'x')}).ok());
  for (const std::string& id : {std::string(), std::string(kMaxIdBytes + 1, 'x'), std::string("a\0b", 3),
                                std::string("\xed\xa0\x80"), std::string(10'000, 'y')}) {
    EXPECT_EQ(kind_of(check_one({.id = id})), ErrorKind::invalid_argument);
  }
}

TEST(ContractTest, AnErrorNamesTheRecordWithoutItsBytes) {
  EXPECT_THAT(check_one({.id = "a1", .document = "\xff"}).error().message,
              HasSubstr("record \"a1\" is not valid UTF-8"));
  EXPECT_THAT(check_one({.id = std::string(5000, 'z')}).error().message, HasSubstr("(5000 bytes)"));
  EXPECT_EQ(in_quotes("a\n\x7f"), "\"a\\x0a\\x7f\"");
  EXPECT_EQ(in_quotes("\xff"), "\"\\xff\"");
  EXPECT_EQ(in_quotes("é"), "\"é\"");
}

TEST(ContractTest, DocumentsAreTextOfAtMost64Mebibytes) {
  EXPECT_TRUE(check_one({.id = "a", .document = std::string(kMaxDocumentBytes, 'x')}).ok());
  EXPECT_EQ(kind_of(check_one({.id = "a", .document = std::string(kMaxDocumentBytes + 1, 'x')})),
            ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check_one({.id = "a", .document = std::string("\0", 1)})), ErrorKind::invalid_argument);
}

TEST(ContractTest, MetadataThatCannotBeKeptIsRefused) {
  const std::vector<Metadata> refused{
      {{"", true}},
      {{"$k", true}},
      {{"\xff", true}},
      {{std::string("k\0", 2), true}},
      {{"k", std::string("\xff")}},
      {{"k", std::nan("")}},
      {{"k", std::numeric_limits<double>::infinity()}},
      {{"k", std::vector<double>{1.0, std::nan("")}}},
      {{"k", std::vector<std::string>{"ok", "\xff"}}},
      {{"k", std::vector<std::string>{}}},
      {{"k", std::vector<bool>{}}},
      {{"a", std::string(kMaxMetadataBytes / 2, 'x')}, {"b", std::string(kMaxMetadataBytes / 2, 'x')}},
  };
  for (const Metadata& metadata : refused) {
    EXPECT_EQ(kind_of(check_one({.id = "a", .metadata = metadata})), ErrorKind::invalid_argument);
  }
}

TEST(ContractTest, ListsAndBatchesAreLimitedByTheBackend) {
  const Record listed{.id = "a", .metadata = {{"k", std::vector<std::int64_t>{1}}}};
  BackendInfo plain;
  plain.max_batch = 1;
  EXPECT_EQ(kind_of(check_one(listed, write_limits(plain))), ErrorKind::invalid_argument);
  const BackendInfo rich = backend_with(capability::kListMetadata);
  EXPECT_TRUE(check_one(listed, write_limits(rich)).ok());

  const std::vector<Record> two{{.id = "a"}, {.id = "b"}};
  EXPECT_EQ(kind_of(check_records(two, write_limits(plain))), ErrorKind::invalid_argument);
  EXPECT_TRUE(check_records(two, write_limits(rich)).ok());
}

TEST(ContractTest, VectorsAreFiniteAndNotZero) {
  for (const Embedding& vector : {Embedding{}, Embedding{0, 0}, Embedding{-0.0F}, Embedding{1, std::nanf("")},
                                  Embedding{std::numeric_limits<float>::infinity()}}) {
    EXPECT_EQ(kind_of(check_one({.id = "a", .embedding = vector})), ErrorKind::invalid_argument);
    EXPECT_EQ(kind_of(check_vector(vector, "query 1")), ErrorKind::invalid_argument);
  }
}

TEST(ContractTest, ABatchHasEachIdOnceAndOneDimension) {
  EXPECT_EQ(kind_of(check_records(std::vector<Record>{{.id = "a"}, {.id = "b"}, {.id = "a"}})),
            ErrorKind::invalid_argument);
  const std::vector<Record> mixed{
      {.id = "w"}, {.id = "a", .embedding = Embedding{1, 0}}, {.id = "b", .embedding = Embedding{1, 0, 0}}};
  const Status status = check_records(mixed);
  EXPECT_EQ(kind_of(status), ErrorKind::dimension_mismatch);
  EXPECT_EQ(status.error().message, "record \"b\" has 3 dimensions; record \"a\" of the same batch has 2");
}

TEST(ContractTest, TheDimensionOfTheCollectionIsChecked) {
  const std::vector<Record> records{{.id = "w"}, {.id = "a", .embedding = Embedding{1, 0}}};
  EXPECT_EQ(dimension_of(records), 2U);
  EXPECT_EQ(dimension_of(std::span(records).first(1)), std::nullopt);
  EXPECT_TRUE(check_dimension(records, 2).ok());
  const Status status = check_dimension(records, 768);
  EXPECT_EQ(kind_of(status), ErrorKind::dimension_mismatch);
  EXPECT_EQ(status.error().message, "record \"a\" has 2 dimensions; the collection has 768");

  const std::vector<RecordUpdate> updates{{.id = "a", .embedding = Embedding{1}}};
  EXPECT_EQ(dimension_of(updates), 1U);
  EXPECT_EQ(kind_of(check_dimension(updates, 2)), ErrorKind::dimension_mismatch);
  EXPECT_EQ(kind_of(check_dimension(std::vector<Embedding>{{1, 0}, {1}}, 2)), ErrorKind::dimension_mismatch);
}

TEST(ContractTest, DetailsAreChecked) {
  const auto with = [](RecordDetails details) { return check_one({.id = "a", .details = std::move(details)}); };
  for (const UniqueKey& key :
       {UniqueKey{.source = "", .content_hash = kHash}, UniqueKey{.source = "s", .content_hash = "ab"},
        UniqueKey{.source = "s", .content_hash = std::string(64, 'A')},
        UniqueKey{.source = "\xff", .content_hash = kHash},
        UniqueKey{.source = "s", .content_hash = kHash, .occurrence = -1}}) {
    EXPECT_EQ(kind_of(with({.key = key, .links = {}})), ErrorKind::invalid_argument);
  }
  for (const Link& link : {Link{.kind = "", .target_id = "b"}, Link{.kind = "see", .target_id = ""},
                           Link{.kind = "\xff", .target_id = "b"}}) {
    EXPECT_EQ(kind_of(with({.key = {}, .links = {link}})), ErrorKind::invalid_argument);
  }
  EXPECT_EQ(kind_of(with({.key = {}, .links = {}, .use_count = -1})), ErrorKind::invalid_argument);
}

TEST(ContractTest, AnUpdateChangesSomethingAndIsCheckedLikeARecord) {
  const auto check = [](const RecordUpdate& update) { return check_updates(std::span(&update, 1)); };
  const Status nothing = check({.id = "a1"});
  EXPECT_EQ(kind_of(nothing), ErrorKind::invalid_argument);
  EXPECT_THAT(nothing.error().message, HasSubstr("record \"a1\" changes nothing"));
  EXPECT_TRUE(check({.id = "a", .document = ""}).ok());
  EXPECT_TRUE(check({.id = "a", .metadata = Metadata{}}).ok());
  EXPECT_EQ(kind_of(check({.id = "", .document = "x"})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check({.id = "a", .document = "\xff"})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check({.id = "a", .metadata = Metadata{{"", true}}})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check({.id = "a", .embedding = Embedding{0}})), ErrorKind::invalid_argument);
  EXPECT_EQ(
      kind_of(check_updates(std::vector<RecordUpdate>{{.id = "a", .document = "x"}, {.id = "a", .document = "y"}})),
      ErrorKind::invalid_argument);
}

TEST(ContractTest, AQueryHasTextsOrEmbeddings) {
  EXPECT_TRUE(check_query({.texts = {"q"}}).ok());
  EXPECT_TRUE(check_query({.embeddings = {{1, 0}}}).ok());
  for (const QueryRequest& request :
       {QueryRequest{}, QueryRequest{.texts = {"q"}, .embeddings = {{1, 0}}}, QueryRequest{.texts = {"q", ""}},
        QueryRequest{.texts = {"\xff"}}, QueryRequest{.embeddings = {{0, 0}}}, QueryRequest{.embeddings = {{}}},
        QueryRequest{.texts = {"q"}, .n_results = 0}, QueryRequest{.texts = {"q"}, .where = Filter::any_of({})},
        QueryRequest{.texts = {"q"}, .where_document = DocumentFilter::any_of({})}}) {
    EXPECT_EQ(kind_of(check_query(request)), ErrorKind::invalid_argument);
  }
}

TEST(ContractTest, AMatchHasAText) {
  EXPECT_TRUE(check_match({.text = "words"}).ok());
  for (const MatchRequest& request :
       {MatchRequest{}, MatchRequest{.text = "\xff"}, MatchRequest{.text = "a", .n_results = 0},
        MatchRequest{.text = "a", .where = Filter::any_of({})}}) {
    EXPECT_EQ(kind_of(check_match(request)), ErrorKind::invalid_argument);
  }
}

TEST(ContractTest, AnEraseNamesSomething) {
  EXPECT_EQ(kind_of(check_selection_for_erase({})), ErrorKind::invalid_argument);
  EXPECT_TRUE(check_selection_for_erase({.ids = std::vector<std::string>{}}).ok());
  EXPECT_TRUE(check_get({}).ok());
  EXPECT_EQ(kind_of(check_get({.selection = {.ids = {{std::string(2000, 'x')}}}})), ErrorKind::invalid_argument);
  const Selection strange{.ids = {{"a"}},
                          .where = Filter::of({.key = "k", .op = static_cast<FilterOperator>(77), .operands = {true}})};
  EXPECT_EQ(kind_of(check_selection_for_erase(strange)), ErrorKind::unsupported_filter);
}

TEST(ContractTest, APalaceFitsItsBackend) {
  const BackendInfo local = backend_with(capability::kLocalMode);
  const BackendInfo server = backend_with(capability::kNamespaceIsolation);
  EXPECT_TRUE(check_palace(PalaceRef::at("/tmp/p"), local).ok());
  EXPECT_TRUE(check_palace({.id = "p", .palace_namespace = "n"}, server).ok());
  EXPECT_EQ(kind_of(check_palace({.id = "p"}, local)), ErrorKind::palace_not_found);
  EXPECT_EQ(kind_of(check_palace({.id = "p", .local_path = "/tmp/p", .palace_namespace = "n"}, local)),
            ErrorKind::unsupported);
  EXPECT_EQ(kind_of(check_palace({.id = "p", .palace_namespace = ""}, server)), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check_palace({.id = ""}, server)), ErrorKind::invalid_argument);
}

TEST(ContractTest, CollectionsHaveSpeakableNames) {
  EXPECT_TRUE(check_collection_name("drawers").ok());
  EXPECT_TRUE(check_collection_name("Schränke").ok());
  for (const std::string& name :
       {std::string(), std::string(256, 'x'), std::string("a\nb"), std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(kind_of(check_collection_name(name)), ErrorKind::invalid_argument);
  }
}

}  // namespace
}  // namespace loci
