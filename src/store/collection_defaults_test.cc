#include "store/collection_defaults.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace loci {
namespace {

// Just enough of a collection: records in a vector, found by id.
class ListCollection : public Collection {
 public:
  explicit ListCollection(std::vector<Record> records) : records_(std::move(records)) {}
  const std::vector<Record>& records() const { return records_; }

  Result<std::vector<Written>> upsert(std::span<const Record> records) override {
    for (const Record& record : records) {
      const auto same_id = [&](const Record& other) { return other.id == record.id; };
      *std::find_if(records_.begin(), records_.end(), same_id) = record;
    }
    return std::vector<Written>{};
  }
  Result<std::vector<Record>> get(const GetRequest& request) const override {
    std::vector<Record> found;
    for (const Record& record : records_) {
      if (std::count(request.selection.ids->begin(), request.selection.ids->end(), record.id) > 0) {
        found.push_back(record);
      }
    }
    return found;
  }
  Status scan(const GetRequest&, const std::function<Status(Record)>& visit) const override {
    for (const Record& record : records_) TRY(visit(record));
    return ok_status();
  }

  Result<CollectionInfo> info() const override { return missing(); }
  Result<std::vector<Written>> add(std::span<const Record>) override { return missing(); }
  Result<UpdateReport> update(std::span<const RecordUpdate>) override { return missing(); }
  Result<std::size_t> erase(const Selection&) override { return missing(); }
  Result<QueryResult> query(const QueryRequest&) const override { return missing(); }
  Result<std::vector<WordHit>> match(const MatchRequest&) const override { return missing(); }
  Result<std::size_t> count() const override { return missing(); }
  Result<std::vector<GroupCount>> count_by(std::span<const std::string>) const override { return missing(); }
  Result<std::vector<Change>> changes_since(std::int64_t, std::size_t) const override { return missing(); }
  Health health() const override { return {}; }

 private:
  static Error missing() { return {ErrorKind::unsupported, "not needed here"}; }

  std::vector<Record> records_;
};

TEST(CollectionDefaultsTest, AnUpdateMergesWhatIsGivenAndReportsWhatIsMissing) {
  ListCollection collection(
      {{.id = "a", .document = "old", .metadata = {{"x", true}, {"y", 1.5}}}, {.id = "b", .document = "old"}});
  const Result<UpdateReport> report = update_by_get_and_upsert(
      collection, std::vector<RecordUpdate>{{.id = "b", .document = "new", .embedding = Embedding{1, 0}},
                                            {.id = "gone", .document = "new"},
                                            {.id = "a", .metadata = Metadata{{"x", false}, {"z", std::string("s")}}}});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->updated, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(report->missing, (std::vector<std::string>{"gone"}));
  EXPECT_EQ(collection.records(),
            (std::vector<Record>{
                {.id = "a", .document = "old", .metadata = {{"x", false}, {"y", 1.5}, {"z", std::string("s")}}},
                {.id = "b", .document = "new", .embedding = Embedding{1, 0}}}));
}

TEST(CollectionDefaultsTest, CountByScanGroupsStringsAndPutsAbsentOnesFirst) {
  const auto placed = [](std::string id, Metadata metadata) {
    return Record{.id = std::move(id), .metadata = std::move(metadata)};
  };
  const ListCollection collection({placed("1", {{"wing", std::string("w")}, {"room", std::string("r2")}}),
                                   placed("2", {{"wing", std::string("w")}, {"room", std::string("r1")}}),
                                   placed("3", {{"wing", std::string("w")}, {"room", std::string("r2")}}),
                                   placed("4", {{"wing", std::int64_t{7}}}), placed("5", {})});
  const std::vector<std::string> keys{"wing", "room"};
  EXPECT_EQ(*count_by_scan(collection, keys),
            (std::vector<GroupCount>{{.values = {std::nullopt, std::nullopt}, .count = 2},
                                     {.values = {"w", "r1"}, .count = 1},
                                     {.values = {"w", "r2"}, .count = 2}}));
}

}  // namespace
}  // namespace loci
