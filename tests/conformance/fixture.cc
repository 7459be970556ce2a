#include "tests/conformance/fixture.h"

#include <algorithm>
#include <cmath>

#include "tests/promised.h"

namespace loci::conformance {

std::string backend_name(const testing::TestParamInfo<BackendUnderTest>& info) { return info.param.name; }

void BackendFixture::SetUp() {
  const BackendUnderTest& parameter = GetParam();
  if (const std::string absence = parameter.why_absent(); !absence.empty()) {
    if (is_promised(parameter.name)) FAIL() << "backend " << parameter.name << " is promised and absent: " << absence;
    GTEST_SKIP() << "backend " << parameter.name << " is absent: " << absence;
  }
  site_ = parameter.make_site();
  backend_ = site_->make_backend();
}

void BackendFixture::TearDown() {
  for (const auto& other : others_) other->close();
  if (backend_ != nullptr) backend_->close();
}

Backend& BackendFixture::another_backend() { return *others_.emplace_back(site_->make_backend()); }

void BackendFixture::reopen_backend() {
  backend_->close();
  closed_.push_back(std::move(backend_));
  backend_ = site_->make_backend();
}

std::shared_ptr<Collection> BackendFixture::make_collection(const PalaceRef& palace, std::string_view name,
                                                            OpenOptions options) {
  options.if_missing = IfMissing::create;
  return value(backend().collection(palace, name, options));
}

void CollectionFixture::SetUp() {
  BackendFixture::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  collection_ = make_collection(palace());
}

void CollectionFixture::reopen(OpenOptions options) {
  collection_.reset();
  reopen_backend();
  options.if_missing = IfMissing::fail;
  collection_ = value(backend().collection(palace(), "drawers", options));
}

bool CollectionFixture::keeps_details() {
  const std::shared_ptr<Collection> probe = make_collection(palace("probe"));
  Record keyed = record("probe");
  keyed.details = RecordDetails{.key = UniqueKey{.source = "s", .content_hash = std::string(64, '0')}, .links = {}};
  value(probe->upsert(std::vector{keyed}));
  const Record kept = get_one(*probe, "probe", kEverything);
  return kept.details && kept.details->key;
}

bool CollectionFixture::keeps_waiting_records() {
  const std::shared_ptr<Collection> probe = make_collection(palace("waiting"));
  const auto written = probe->upsert(std::vector<Record>{{.id = "waits", .document = "text"}});
  if (!written.ok() && written.error().kind != ErrorKind::unsupported)
    throw std::runtime_error(written.error().message);
  return written.ok();
}

void CollectionFixture::expect_vector(const std::optional<Embedding>& kept, const Embedding& given) const {
  const double tolerance = GetParam().vector_tolerance;
  ASSERT_TRUE(kept);
  if (tolerance == 0) {
    EXPECT_EQ(*kept, given);
    return;
  }
  ASSERT_EQ(kept->size(), given.size());
  double length = 0;
  for (const float component : given) length = std::max(length, std::abs(double{component}));
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_NEAR((*kept)[i], given[i], tolerance * length) << i;
}

void CollectionFixture::expect_record(const Record& kept, const Record& given) const {
  const auto bare = [](Record record) {
    record.embedding.reset();
    if (record.details) record.details->created_at = record.details->updated_at = 0;
    return record;
  };
  EXPECT_EQ(bare(kept), bare(given)) << given.id;
  EXPECT_EQ(kept.embedding.has_value(), given.embedding.has_value()) << given.id;
  if (kept.embedding && given.embedding) expect_vector(kept.embedding, *given.embedding);
}

Record record(std::string id, std::string document, Embedding embedding, Metadata metadata) {
  return {.id = std::move(id),
          .document = std::move(document),
          .metadata = std::move(metadata),
          .embedding = std::move(embedding)};
}

std::vector<std::string> ids_of(const std::vector<Record>& records) {
  std::vector<std::string> ids;
  for (const Record& each : records) ids.push_back(each.id);
  return ids;
}

std::vector<std::string> ids_of(const std::vector<Hit>& hits) {
  std::vector<std::string> ids;
  for (const Hit& hit : hits) ids.push_back(hit.record.id);
  return ids;
}

std::vector<std::string> ids_in(const Collection& collection) { return ids_of(value(collection.get({}))); }

Record get_one(const Collection& collection, const std::string& id, const Include& include) {
  std::vector<Record> records = value(collection.get({.selection = {.ids = {{id}}}, .include = include}));
  if (records.size() != 1) throw std::runtime_error("there is no record " + id);
  return std::move(records.front());
}

Filter where(std::string_view json) { return value(parse_filter(json)); }
DocumentFilter where_document(std::string_view json) { return value(parse_document_filter(json)); }

Result<std::vector<Embedding>> WordEmbedder::embed(std::span<const std::string> texts) const {
  std::vector<Embedding> vectors;
  for (const std::string& text : texts) {
    Embedding& vector = vectors.emplace_back(dimension_, 0.0F);
    vector[0] = 0.01F;  // so that a text without words has a vector too
    std::size_t hash = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && text[i] != ' ') {
        hash = hash * 31 + static_cast<unsigned char>(text[i]);
      } else if (hash != 0) {
        vector[hash % dimension_] += 1;
        hash = 0;
      }
    }
  }
  return vectors;
}

}  // namespace loci::conformance
