// A long random sequence of operations, on a backend and on the model beside it: every answer must be the same. Between
// operations the backend is closed and opened again, and calls go through one of two handles.
//
// LOCI_CONFORMANCE_SEED=N repeats a failure; LOCI_CONFORMANCE_STEPS=N makes the sequence longer or shorter.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/conformance/exact_distance.h"
#include "tests/conformance/fixture.h"
#include "tests/conformance/memory_backend.h"
#include "tests/conformance/random_input.h"

namespace loci::conformance {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

std::uint64_t seed() { return number_from_environment("LOCI_CONFORMANCE_SEED", 20'240'229); }

class ModelTest : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    keeps_details_ = keeps_details();
    input_.emplace(seed(), has(capability::kListMetadata) ? UseLists::yes : UseLists::no,
                   keeps_details_ ? UseKeys::yes : UseKeys::no,
                   keeps_waiting_records() ? UseWaiting::yes : UseWaiting::no);
    // The model has the capabilities of the backend, and so refuses what it refuses.
    model_backend_ = make_memory_backend(
        make_memory_disk(), {.info = info(), .details = keeps_details_ ? KeepDetails::yes : KeepDetails::no});
    open_handles();
  }

  // Two handles of two backends, so that each write is seen through the other one.
  void open_handles() {
    handles_ = {make_collection(palace(), name()), value(another_backend().collection(palace(), name(), {}))};
    if (model_ == nullptr || is_new_collection_) {
      model_ =
          value(model_backend_->collection(palace(), name(), {.if_missing = IfMissing::create, .metric = metric()}));
    }
    is_new_collection_ = false;
  }
  std::string name() const { return "collection" + std::to_string(number_); }
  DistanceMetric metric() const {
    constexpr DistanceMetric kMetrics[] = {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip};
    return kMetrics[number_ % 3];
  }
  Collection& tested() { return *handles_[input_->below(2)]; }

  void step();
  void write();
  void update();
  void erase();
  void get();
  void query();
  void match();
  void count();
  void start_anew();

  template <typename T>
  bool agree(const Result<T>& ours, const Result<T>& models) {
    EXPECT_EQ(ours.ok(), models.ok()) << (ours.ok() ? models.error().message : ours.error().message);
    if (ours.ok() != models.ok()) return false;
    if (!ours.ok()) {
      EXPECT_EQ(ours.error().kind, models.error().kind) << ours.error().message;
    }
    return ours.ok();
  }
  void expect_equal(const std::vector<Record>& ours, const std::vector<Record>& models) {
    ASSERT_EQ(ids_of(ours), ids_of(models));
    for (std::size_t i = 0; i < ours.size(); ++i) {
      expect_record(ours[i], models[i]);
    }
  }
  void expect_nearest(const std::vector<Hit>& ours, const Embedding& query, const QueryRequest& request);

  std::optional<RandomInput> input_;
  bool keeps_details_ = false;
  std::unique_ptr<Backend> model_backend_;
  std::shared_ptr<Collection> model_;
  std::vector<std::shared_ptr<Collection>> handles_;
  std::string operation_;
  std::size_t number_ = 0;
  bool is_new_collection_ = true;
};

void ModelTest::write() {
  const std::vector<Record> batch = input_->batch();
  const bool is_add = input_->one_in(3);
  operation_ = is_add ? "add" : "upsert";
  const auto ours = is_add ? tested().add(batch) : tested().upsert(batch);
  const auto models = is_add ? model_->add(batch) : model_->upsert(batch);
  if (agree(ours, models)) {
    EXPECT_EQ(*ours, *models);
  }
}

void ModelTest::update() {
  operation_ = "update";
  const std::vector<RecordUpdate> updates = input_->updates();
  const auto ours = tested().update(updates);
  const auto models = model_->update(updates);
  if (!agree(ours, models)) return;
  EXPECT_EQ(ours->updated, models->updated);
  EXPECT_EQ(ours->missing, models->missing);
}

void ModelTest::erase() {
  operation_ = "erase";
  Selection selection = input_->selection();
  // Filters alone would keep the collection nearly empty.
  if (!selection.ids && !selection.is_empty() && !input_->one_in(4)) selection.ids = input_->ids();
  const auto ours = tested().erase(selection);
  const auto models = model_->erase(selection);
  if (agree(ours, models)) {
    EXPECT_EQ(*ours, *models);
  }
}

void ModelTest::get() {
  operation_ = "get";
  GetRequest request{.selection = input_->selection(), .include = input_->include()};
  if (input_->one_in(2)) request.limit = input_->below(20);
  if (input_->one_in(3)) request.offset = input_->below(20);
  const auto ours = tested().get(request);
  const auto models = model_->get(request);
  if (agree(ours, models)) expect_equal(*ours, *models);
}

// The hits are the nearest there are, in order, with the right distances; what ties but for rounding may stand in any
// order, and what ties exactly stands by id.
void ModelTest::expect_nearest(const std::vector<Hit>& ours, const Embedding& query, const QueryRequest& request) {
  const auto eligible = model_->get(
      {.selection = {.where = request.where, .where_document = request.where_document}, .include = kEverything});
  ASSERT_TRUE(ok(eligible));
  // A model without supports_embeddings_out keeps its vectors to itself, but not its distances.
  QueryRequest all = request;
  all.texts.clear();
  all.embeddings = {query};
  all.n_results = eligible->size() + 1;
  const auto ranking = model_->query(all);
  ASSERT_TRUE(ok(ranking));
  std::map<std::string, const Hit*> expected;
  for (const Hit& hit : ranking->hits[0]) expected[hit.record.id] = &hit;
  ASSERT_EQ(ours.size(), std::min(request.n_results, expected.size()));

  const auto is_near = [](double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); };
  std::set<std::string> seen;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::string& id = ours[i].record.id;
    ASSERT_TRUE(expected.contains(id)) << id << " does not pass the filter, or has no vector";
    EXPECT_TRUE(seen.insert(id).second) << id << " twice";
    expect_record(ours[i].record, expected[id]->record);
    EXPECT_PRED2(is_near, ours[i].distance, expected[id]->distance) << id;
    EXPECT_PRED2(is_near, ours[i].distance, ranking->hits[0][i].distance) << "nearer ones were left out at " << i;
    if (i == 0) continue;
    EXPECT_GE(ours[i].distance, ours[i - 1].distance);
    if (ours[i].distance == ours[i - 1].distance) {
      EXPECT_GT(id, ours[i - 1].record.id);
    }
  }
}

void ModelTest::query() {
  operation_ = "query";
  QueryRequest request{.n_results = 1 + input_->below(12), .include = input_->include()};
  for (std::size_t n = 1 + input_->below(3); n > 0; --n) request.embeddings.push_back(input_->vector());
  if (input_->one_in(20)) request.embeddings.push_back({1, 2});
  if (input_->one_in(2)) request.where = input_->filter();
  if (input_->one_in(3)) request.where_document = input_->document_filter();
  const auto ours = tested().query(request);
  if (!agree(ours, model_->query(request))) return;
  ASSERT_EQ(ours->hits.size(), request.embeddings.size());
  for (std::size_t i = 0; i < ours->hits.size() && !HasFailure(); ++i) {
    expect_nearest(ours->hits[i], request.embeddings[i], request);
  }
}

void ModelTest::match() {
  operation_ = "match";
  MatchRequest request{.text = input_->words(), .n_results = 1'000};
  if (input_->one_in(2)) request.where = input_->filter();
  const auto ours = tested().match(request);
  const auto models = model_->match(request);
  if (!agree(ours, models)) return;
  const auto ids = [](const std::vector<WordHit>& hits) {
    std::set<std::string> set;
    for (const WordHit& hit : hits) set.insert(hit.record.id);
    return set;
  };
  EXPECT_EQ(ids(*ours), ids(*models));
}

void ModelTest::count() {
  operation_ = "count";
  const auto ours = tested().count();
  if (agree(ours, model_->count())) {
    EXPECT_EQ(*ours, value(model_->count()));
  }
  const std::vector<std::string> keys =
      input_->one_in(2) ? std::vector<std::string>{"wing", "room"} : std::vector<std::string>{"wing"};
  const auto groups = tested().count_by(keys);
  if (agree(groups, model_->count_by(keys))) {
    EXPECT_EQ(*groups, value(model_->count_by(keys)));
  }
  const auto our_info = tested().info();
  const auto model_info = model_->info();
  ASSERT_TRUE(agree(our_info, model_info));
  EXPECT_EQ(our_info->dimension, model_info->dimension);
  EXPECT_EQ(our_info->pending, model_info->pending);
  EXPECT_EQ(our_info->metric, model_info->metric);

  using Changes = std::set<std::pair<std::string, bool>>;
  const auto changes = [](const Result<std::vector<Change>>& feed) {
    Changes set;
    for (const Change& change : *feed) set.emplace(change.id, change.kind == ChangeKind::erased);
    return set;
  };
  const auto our_feed = tested().changes_since(0, 10'000);
  const auto model_feed = model_->changes_since(0, 10'000);
  if (agree(our_feed, model_feed)) {
    EXPECT_EQ(changes(our_feed), changes(model_feed));
  }
}

void ModelTest::start_anew() {
  operation_ = "reopen";
  handles_.clear();
  if (input_->one_in(4)) {  // another collection, so that more than one first write is seen
    ++number_;
    is_new_collection_ = true;
  }
  if (input_->one_in(3)) {
    backend().close_palace(palace());
  } else {
    reopen_backend();
  }
  make_collection(palace(), name(), {.metric = metric()});
  open_handles();
  expect_equal(value(tested().get({.include = kEverything})), value(model_->get({.include = kEverything})));
}

void ModelTest::step() {
  const std::size_t dice = input_->below(100);
  if (dice < 34) {
    write();
  } else if (dice < 42) {
    update();
  } else if (dice < 50) {
    erase();
  } else if (dice < 65) {
    get();
  } else if (dice < 85) {
    query();
  } else if (dice < 91) {
    match();
  } else if (dice < 98) {
    count();
  } else {
    start_anew();
  }
}

TEST_P(ModelTest, ARandomSequenceOfOperationsAgreesWithTheModel) {
  const std::uint64_t steps = number_from_environment("LOCI_CONFORMANCE_STEPS", 3'000);
  for (std::uint64_t i = 0; i < steps && !HasFailure(); ++i) {
    step();
    if (HasFailure()) {
      ADD_FAILURE() << "at step " << i << " (" << operation_ << "); LOCI_CONFORMANCE_SEED=" << seed() << " repeats it";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ModelTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
