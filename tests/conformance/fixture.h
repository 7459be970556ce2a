// What the tests of the suite share. Each file has a fixture of its own, derived from one of these, and instantiates
// it:
//   class GetTest : public CollectionFixture {};
//   INSTANTIATE_TEST_SUITE_P(Backends, GetTest, testing::ValuesIn(backends_under_test()), backend_name);
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loci/backend.h"
#include "tests/conformance/backend_under_test.h"

namespace loci::conformance {

std::string backend_name(const testing::TestParamInfo<BackendUnderTest>& info);

// A site and a backend on it. Skips, by name, where the backend's server is absent.
class BackendFixture : public testing::TestWithParam<BackendUnderTest> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Backend& backend() { return *backend_; }
  const BackendInfo& info() const { return backend_->info(); }
  bool has(std::string_view token) const { return info().has(token); }

  // A second backend on the same site, as another process would have; lives as long as the test.
  Backend& another_backend();
  // Closes the backend and makes a new one; collections of the old one are of no use any more.
  void reopen_backend();

  PalaceRef palace(std::string_view label = "palace") const { return site_->palace(label); }
  // Opens a collection and makes it, and its palace, if need be. Throws when that fails.
  std::shared_ptr<Collection> make_collection(const PalaceRef& palace, std::string_view name = "drawers",
                                              OpenOptions options = {});

 private:
  std::unique_ptr<Site> site_;
  std::vector<std::unique_ptr<Backend>> closed_;  // collections may point into what they were made by
  std::unique_ptr<Backend> backend_;
  std::vector<std::unique_ptr<Backend>> others_;
};

// And an empty collection without an embedder.
class CollectionFixture : public BackendFixture {
 protected:
  void SetUp() override;
  Collection& collection() { return *collection_; }
  // Does this backend keep records that wait for their vector? One that does not refuses them as unsupported. Asks by
  // storing a record in a palace apart.
  bool keeps_waiting_records();

  // Is this the vector that was given, as exactly as the backend gives vectors back?
  void expect_vector(const std::optional<Embedding>& kept, const Embedding& given) const;
  // The same for all that a record has; times are left out.
  void expect_record(const Record& kept, const Record& given) const;

  // The same collection through a new backend: what it shows was kept.
  void reopen(OpenOptions options = {});

  // Does this backend keep details (keys, links, counts, times)? Asks by storing a record in a palace apart.
  bool keeps_details();

 private:
  std::shared_ptr<Collection> collection_;
};

// A record with a vector.
Record record(std::string id, std::string document = "", Embedding embedding = {1, 0}, Metadata metadata = {});

std::vector<std::string> ids_of(const std::vector<Record>& records);
std::vector<std::string> ids_of(const std::vector<Hit>& hits);
// Of all records of the collection, in its order.
std::vector<std::string> ids_in(const Collection& collection);
// The only record of that id. Throws when there is none.
Record get_one(const Collection& collection, const std::string& id, const Include& include = {});

inline const Include kEverything{.embeddings = true, .details = true};

// The filter written in JSON; throws when it is none.
Filter where(std::string_view json);
DocumentFilter where_document(std::string_view json);

// The kind of an error, and a failure of the test when there is none.
template <typename Answer>
ErrorKind error_kind(const Answer& answer) {
  if (answer.ok()) {
    ADD_FAILURE() << "this should have failed";
    return ErrorKind::internal;
  }
  return answer.error().kind;
}

template <typename Answer>
std::string error_message(const Answer& answer) {
  return answer.ok() ? "" : answer.error().message;
}

// The value of an answer that is taken for granted: throws, and so fails the test and says why, when there is none.
template <typename T>
T value(Result<T> answer) {
  if (!answer.ok())
    throw std::runtime_error(std::string(to_string(answer.error().kind)) + ": " + answer.error().message);
  return std::move(answer).value();
}

// EXPECT_TRUE(ok(collection().upsert(…))) says why not.
template <typename Answer>
testing::AssertionResult ok(const Answer& answer) {
  if (answer.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << to_string(answer.error().kind) << ": " << answer.error().message;
}

// Turns each word into a direction, so that texts that share words are near each other.
class WordEmbedder : public Embedder {
 public:
  explicit WordEmbedder(std::string name = "words", std::size_t dimension = 8)
      : name_(std::move(name)), dimension_(dimension) {}
  std::string model_name() const override { return name_; }
  std::size_t dimension() const override { return dimension_; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override;

 private:
  std::string name_;
  std::size_t dimension_;
};

}  // namespace loci::conformance

// gtest would print the number; it looks for a printer beside the enum.
namespace loci {
inline void PrintTo(ErrorKind kind, std::ostream* out) { *out << to_string(kind); }
}  // namespace loci
