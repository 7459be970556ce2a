#include "store/guarded_backend.h"

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

namespace loci {
namespace {

// Throws wherever it is asked for something.
class ThrowingCollection : public Collection {
 public:
  Result<CollectionInfo> info() const override { throw std::bad_alloc(); }
  Result<std::vector<Written>> add(std::span<const Record>) override { throw std::bad_alloc(); }
  Result<std::vector<Written>> upsert(std::span<const Record>) override { throw std::runtime_error("a bug"); }
  Result<UpdateReport> update(std::span<const RecordUpdate>) override { throw std::bad_alloc(); }
  Result<std::size_t> erase(const Selection&) override { throw std::bad_alloc(); }
  Result<std::vector<Record>> get(const GetRequest&) const override { throw std::bad_alloc(); }
  Status scan(const GetRequest&, const std::function<Status(Record)>&) const override { throw std::bad_alloc(); }
  Result<QueryResult> query(const QueryRequest&) const override { throw std::bad_alloc(); }
  Result<std::vector<WordHit>> match(const MatchRequest&) const override { throw std::bad_alloc(); }
  Result<EmbeddingStep> embed_pending(std::size_t) override { throw std::bad_alloc(); }
  Result<std::size_t> queue_missing() override { throw std::bad_alloc(); }
  Result<std::size_t> count() const override { return 7; }
  Result<std::vector<GroupCount>> count_by(std::span<const std::string>) const override { throw std::bad_alloc(); }
  Result<std::vector<Change>> changes_since(std::int64_t, std::size_t) const override { throw std::bad_alloc(); }
  Health health() const override { throw std::bad_alloc(); }
};

class ThrowingBackend : public Backend {
 public:
  const BackendInfo& info() const override { return info_; }
  bool detect(const std::filesystem::path&) const override { return true; }
  Result<std::shared_ptr<Collection>> collection(const PalaceRef&, std::string_view name, const OpenOptions&) override {
    if (name == "missing") return Error{ErrorKind::not_found, "not there"};
    return std::shared_ptr<Collection>(std::make_shared<ThrowingCollection>());
  }
  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef&, std::string_view,
                                                        const OpenOptions&) override {
    throw std::bad_alloc();
  }
  Result<std::vector<CollectionInfo>> collections(const PalaceRef&, Access) override { throw std::bad_alloc(); }
  Status delete_collection(const PalaceRef&, std::string_view) override { throw std::bad_alloc(); }
  Status set_embedder(const PalaceRef&, std::string_view, std::string_view, std::optional<std::size_t>,
                      ModelSwap) override {
    throw std::bad_alloc();
  }
  Result<Metadata> maintenance_state(const PalaceRef&, Access) override { throw std::bad_alloc(); }
  Result<MaintenanceReport> run_maintenance(const PalaceRef&, std::string_view) override { throw std::bad_alloc(); }
  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}
  void close() override {}

 private:
  BackendInfo info_{
      .name = "throwing", .spec_version = {}, .capabilities = {}, .max_batch = {}, .maintenance_kinds = {}};
};

class GuardedBackendTest : public testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = guarded(std::make_unique<ThrowingBackend>());
  const PalaceRef palace_{.id = "p"};
};

template <typename Answer>
void expect_out_of_memory(const Answer& answer) {
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::io);
  EXPECT_EQ(answer.error().message, "out of memory");
}

TEST_F(GuardedBackendTest, ALackOfMemoryIsAnError) {
  expect_out_of_memory(backend_->create_collection(palace_, "c", {}));
  expect_out_of_memory(backend_->collections(palace_, Access::read_only));
  expect_out_of_memory(backend_->delete_collection(palace_, "c"));
  expect_out_of_memory(backend_->set_embedder(palace_, "c", "m", {}, ModelSwap::refuse));
  expect_out_of_memory(backend_->maintenance_state(palace_, Access::read_only));
  expect_out_of_memory(backend_->run_maintenance(palace_, "analyze"));
  const auto collection = *backend_->collection(palace_, "c", {});
  expect_out_of_memory(collection->info());
  expect_out_of_memory(collection->add({}));
  expect_out_of_memory(collection->update({}));
  expect_out_of_memory(collection->erase({}));
  expect_out_of_memory(collection->get({}));
  expect_out_of_memory(collection->scan({}, [](const Record&) { return Status(); }));
  expect_out_of_memory(collection->query({}));
  expect_out_of_memory(collection->match({}));
  expect_out_of_memory(collection->embed_pending(1));
  expect_out_of_memory(collection->queue_missing());
  expect_out_of_memory(collection->count_by({}));
  expect_out_of_memory(collection->changes_since(0, 1));
  EXPECT_FALSE(collection->health().healthy);
}

TEST_F(GuardedBackendTest, AnotherExceptionIsAnInternalErrorWithItsWords) {
  const auto written = (*backend_->collection(palace_, "c", {}))->upsert({});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::internal);
  EXPECT_EQ(written.error().message, "a bug");
}

TEST_F(GuardedBackendTest, AnswersAndErrorsPassAsTheyAre) {
  EXPECT_EQ(*(*backend_->collection(palace_, "c", {}))->count(), 7U);
  EXPECT_EQ(backend_->collection(palace_, "missing", {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(backend_->info().name, "throwing");
  EXPECT_EQ(backend_->upkeep(), nullptr);
}

}  // namespace
}  // namespace loci
