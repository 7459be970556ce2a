// The chunks of a memtomem database as records; see memtomem_backend.h for what becomes of what.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci::memtomem {

inline constexpr std::string_view kCollectionName = "drawers";

// A private copy of a database, removed with the object.
class DatabaseCopy {
 public:
  // `place` is the file, or the folder with memtomem.db. Errors: palace_not_found, corruption for a file that is no
  // database of memtomem, io.
  static Result<std::shared_ptr<const DatabaseCopy>> make(const std::filesystem::path& place);

  const std::filesystem::path& file() const { return file_; }

 private:
  DatabaseCopy(TemporaryFolder folder, std::filesystem::path file)
      : folder_(std::move(folder)), file_(std::move(file)) {}

  const TemporaryFolder folder_;
  const std::filesystem::path file_;
};

// Many threads may use it at once: each call opens the copy anew.
class MemtomemCollection : public Collection {
 public:
  explicit MemtomemCollection(std::shared_ptr<const DatabaseCopy> database) : database_(std::move(database)) {}

  Result<CollectionInfo> info() const override;
  Result<std::vector<Written>> add(std::span<const Record> records) override;
  Result<std::vector<Written>> upsert(std::span<const Record> records) override;
  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override;
  Result<std::size_t> erase(const Selection& selection) override;
  Result<std::vector<Record>> get(const GetRequest& request) const override;
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override;
  Result<QueryResult> query(const QueryRequest& request) const override;
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override;
  Result<std::size_t> count() const override;
  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override;
  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override;
  Health health() const override;

 private:
  const std::shared_ptr<const DatabaseCopy> database_;
};

}  // namespace loci::memtomem
