#include "store/embedded/salvage.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "store/contract.h"
#include "store/embedded/catalog.h"
#include "store/embedded/damaged_rows.h"
#include "store/embedded/salvage_reader.h"
#include "store/sqlite/cancellation.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kBatch = 500;
constexpr std::size_t kShownLosses = 20;

void tell(SalvageReport& report, std::string loss) {
  if (report.losses.size() < kShownLosses) report.losses.push_back(std::move(loss));
}

// "metadata, vector and links".
std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

// One collection of the new palace: writes what was saved, a batch at a time; a record that the contract refuses is
// lost and told.
class SavedCollection {
 public:
  static Result<SavedCollection> open(Backend& backend, const PalaceRef& palace, const CollectionRow& row,
                                      SalvageReport& report) {
    const OpenOptions options{.if_missing = IfMissing::create, .metric = row.metric};
    std::shared_ptr<Collection> collection = TRY(backend.collection(palace, row.name, options));
    if (!row.model.empty()) TRY(backend.set_embedder(palace, row.name, row.model, row.dimension, ModelSwap::refuse));
    return SavedCollection(std::move(collection), row.dimension, report);
  }

  Status add(SalvagedRow salvaged) {
    Record& record = salvaged.record;
    // Where the dimension is lost, the vectors tell it.
    if (record.embedding && !dimension_) dimension_ = record.embedding->size();
    if (record.embedding && record.embedding->size() != dimension_) {
      record.embedding.reset();
      salvaged.lost.emplace_back("vector");
    }
    if (!check_records(std::span(&record, 1)).ok()) {
      record.metadata.clear();
      record.details.reset();
      salvaged.lost.emplace_back("metadata");
    }
    if (const Status fine = check_records(std::span(&record, 1)); !fine.ok()) {
      ++report_->lost;
      tell(*report_, fine.error().message);
      return {};
    }
    (salvaged.lost.empty() ? report_->saved : report_->saved_in_part)++;
    if (!salvaged.lost.empty()) tell(*report_, "record " + in_quotes(record.id) + " lost its " + listed(salvaged.lost));
    batch_.push_back(std::move(record));
    return batch_.size() < kBatch ? Status() : flush();
  }

  Status flush() {
    if (!batch_.empty()) TRY(collection_->upsert(batch_));
    batch_.clear();
    return {};
  }

 private:
  SavedCollection(std::shared_ptr<Collection> collection, std::optional<std::size_t> dimension, SalvageReport& report)
      : collection_(std::move(collection)), dimension_(dimension), report_(&report) {}

  std::shared_ptr<Collection> collection_;
  std::optional<std::size_t> dimension_;
  SalvageReport* report_;
  std::vector<Record> batch_;
};

// The new palace. A collection that only its records tell of gets a name that says what happened.
class Target {
 public:
  Target(Backend& backend, const PalaceRef& palace, SalvageReport& report)
      : backend_(backend), palace_(palace), report_(report) {}

  Status open(const CollectionRow& row) {
    SavedCollection opened = TRY(SavedCollection::open(backend_, palace_, row, report_));
    collections_.emplace(row.id, std::move(opened));
    return {};
  }

  Status add(SalvagedRow salvaged) {
    // A text whose record is gone goes to the first collection.
    const std::int64_t first = collections_.empty() ? 1 : collections_.begin()->first;
    const std::int64_t id = salvaged.collection.value_or(first);
    if (!collections_.contains(id)) {
      const std::string name = "recovered-collection-" + std::to_string(id);
      tell(report_, "the name, model and metric of collection " + std::to_string(id) + " cannot be read; it is " +
                        in_quotes(name) + " now");
      TRY(open({.id = id, .name = name, .dimension = {}, .model = {}}));
    }
    return collections_.at(id).add(std::move(salvaged));
  }

  Status flush() {
    for (auto& [id, collection] : collections_) TRY(collection.flush());
    return {};
  }

 private:
  Backend& backend_;
  const PalaceRef& palace_;
  SalvageReport& report_;
  std::map<std::int64_t, SavedCollection> collections_;
};

Status open_collections(Connection& connection, Target& target, SalvageReport& report) {
  if (!list_collections(connection).ok())
    tell(report, "the list of collections is damaged; the model and metric of those that it does not tell are unknown");
  for (const CollectionRow& row : list_readable_collections(connection)) {
    if (check_collection_name(row.name).ok()) TRY(target.open(row));
  }
  return {};
}

// Where files are damaged, rows may be gone from every table. Their numbers were given one by one, so the last one that
// was given tells how many there were, unless its counter is damaged as well: no row is made without a change.
void tell_of_files(Connection& connection, std::span<const Finding> in_files, const DamagedRows& rows,
                   SalvageReport& report) {
  if (in_files.empty()) return;
  for (const Finding& finding : in_files) tell(report, finding.detail);
  const auto last = connection.query_integer("SELECT seq FROM sqlite_sequence WHERE name = 'records'");
  const auto changes = connection.query_integer("SELECT value FROM palace WHERE key = 'seq'");
  if (!last.ok() || !changes.ok() || *last > *changes) {
    return tell(report, "how many records there were cannot be told: those on the damaged pages are not counted");
  }
  const auto found = std::upper_bound(rows.numbers.begin(), rows.numbers.end(), *last) - rows.numbers.begin();
  if (const std::int64_t nowhere = *last - found; nowhere > 0) {
    tell(report, std::to_string(nowhere) + " of the " + std::to_string(*last) +
                     " rows that were ever made are nowhere to be found: they were on the damaged pages, or deleted "
                     "before; they are not counted as lost");
  }
}

// Reading that was cancelled looks like damage, so it is asked before anything is told as lost.
Status save_rows(Connection& connection, const DamagedRows& rows, const IsCancelled& is_cancelled, Target& target,
                 SalvageReport& report) {
  SalvageReader reader(connection);
  for (const std::int64_t row : rows.numbers) {
    const auto identity = rows.identities.find(row);
    SalvagedRow found = reader.read(row, identity == rows.identities.end() ? nullptr : &identity->second);
    TRY(sqlite::check_wanted(is_cancelled));
    const std::string name = found.collection ? "record " + in_quotes(found.record.id) : "row " + std::to_string(row);
    if (!found.has_text) {
      ++report.lost;
      tell(report, "the text of " + name + " cannot be read");
      continue;
    }
    if (!found.collection) found.record.id = "recovered-row-" + std::to_string(row);
    TRY(target.add(std::move(found)));
  }
  return target.flush();
}

}  // namespace

Result<SalvageReport> salvage_palace(Database& damaged, std::span<const Finding> in_files, Backend& backend,
                                     const PalaceRef& target, const IsCancelled& is_cancelled) {
  return damaged.run([&](Connection& connection) -> Result<SalvageReport> {
    const sqlite::CancellableStatements cancellable(connection, is_cancelled);
    SalvageReport report;
    Target output(backend, target, report);
    const DamagedRows rows = find_damaged_rows(connection);
    TRY(sqlite::check_wanted(is_cancelled));
    tell_of_files(connection, in_files, rows, report);
    TRY(open_collections(connection, output, report));
    TRY(save_rows(connection, rows, is_cancelled, output, report));
    return report;
  });
}

}  // namespace loci::embedded
