// A palace in a temporary folder, for this folder's tests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

class TestPalace {
 public:
  PalaceRef ref() const { return PalaceRef::at(folder()); }
  std::filesystem::path folder() const { return parent_.path() / "palace"; }
  std::filesystem::path file() const { return folder() / kDatabaseName; }

  // The collection `drawers`, made when it is missing.
  std::shared_ptr<Collection> drawers(OpenOptions options = {}) {
    options.if_missing = IfMissing::create;
    Result<std::shared_ptr<Collection>> opened = backend_->collection(ref(), "drawers", options);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    return opened.ok() ? *opened : nullptr;
  }

  Backend& backend() { return *backend_; }
  // Lets go of all files, as the end of the process would.
  void reopen() { backend_ = make_embedded_backend(); }

  // A connection behind the backend's back.
  std::unique_ptr<Connection> connect() const {
    Result<std::unique_ptr<Connection>> opened = open_connection(file(), OpenMode::read_write);
    EXPECT_TRUE(opened.ok());
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::int64_t query(const std::string& sql) const {
    const Result<std::int64_t> value = connect()->query_integer(sql);
    EXPECT_TRUE(value.ok()) << sql << ": " << (value.ok() ? "" : value.error().message);
    return value.ok() ? *value : -1;
  }
  void execute(const std::string& sql) const {
    const Status done = connect()->execute(sql);
    EXPECT_TRUE(done.ok()) << sql << ": " << (done.ok() ? "" : done.error().message);
  }

 private:
  TemporaryFolder parent_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
};

inline Record record(std::string id, std::string document, Metadata metadata = {},
                     std::optional<Embedding> embedding = {}) {
  return {.id = std::move(id),
          .document = std::move(document),
          .metadata = std::move(metadata),
          .embedding = std::move(embedding)};
}

// As ingest writes it: unique by source, text and occurrence.
inline Record ingested(std::string id, std::string document, std::string source, std::int64_t occurrence = 0) {
  Record made = record(std::move(id), std::move(document));
  made.details.emplace().key = UniqueKey{std::move(source), to_hex(sha256(made.document)), occurrence};
  return made;
}

inline std::vector<Record> batch(Record a) { return {std::move(a)}; }
inline std::vector<Record> batch(Record a, Record b) {
  std::vector<Record> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  return both;
}

}  // namespace loci::embedded
