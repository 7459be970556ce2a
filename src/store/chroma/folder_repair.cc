#include "store/chroma/folder_repair.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/aside_folder.h"
#include "base/file.h"
#include "base/open_files.h"
#include "store/chroma/database_copy.h"
#include "store/chroma/database_damage.h"
#include "store/chroma/database_rebuild.h"
#include "store/chroma/index_export.h"
#include "store/chroma/queue_refill.h"
#include "store/chroma/recovery.h"
#include "store/chroma/segment_name.h"
#include "store/contract.h"
#include "store/sqlite/cancellation.h"

namespace loci::chroma {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 100;  // losses of each collection that are named

// A UUID, or one with something behind it: an index of Chroma's, or what was one.
bool is_named_like_an_index(std::string_view name) { return is_segment_name(name.substr(0, name.find('.'))); }

// Everything but the database and the indexes.
Status copy_the_rest(const fs::path& folder, const fs::path& target, const IsCancelled& is_cancelled) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    TRY(sqlite::check_wanted(is_cancelled));
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kDatabaseName) || is_named_like_an_index(name)) continue;
    if (!entry->is_regular_file(failed) && !entry->is_directory(failed)) continue;
    std::error_code error;
    fs::copy(entry->path(), target / name, fs::copy_options::recursive | fs::copy_options::skip_symlinks, error);
    if (error) return io_error("cannot copy", entry->path(), error.value());
  }
  if (failed) return io_error("cannot list", folder, failed.value());
  return {};
}

// Errors by which a database shows that nothing can be had from it.
bool is_lost(const Error& error) {
  return error.kind == ErrorKind::corruption || error.kind == ErrorKind::palace_not_found ||
         error.kind == ErrorKind::internal;
}

// For one repair. In `work` the new folder and what is needed on the way to it are made.
class Repair {
 public:
  Repair(const fs::path& folder, const fs::path& work, const IsCancelled& is_cancelled)
      : folder_(folder), copy_(work / "copy"), target_(work / "folder"), is_cancelled_(is_cancelled) {}

  const fs::path& target() const { return target_; }

  Result<SalvageReport> run() {
    const Status saved = save_database();
    if (!saved.ok()) {
      if (has_catalog_ || !is_lost(saved.error())) return saved.error();
      TRY(save_vectors_alone(saved.error()));
    }
    TRY(copy_the_rest(folder_, target_, is_cancelled_));
    return std::move(report_);
  }

 private:
  // The connection to a database in target_ all of whose pages are sound.
  Result<std::unique_ptr<Connection>> make_sound() {
    std::error_code failed;
    if (const auto size = fs::file_size(folder_ / kDatabaseName, failed); failed || size == 0)
      return Error{ErrorKind::palace_not_found, "there is no Chroma database in " + folder_.string()};
    TRY(make_private_folder(copy_));
    {
      const std::unique_ptr<Connection> connection = TRY(copy_database(folder_, copy_, is_cancelled_));
      const sqlite::CancellableStatements cancellable(*connection, is_cancelled_);
      has_damage_ = !TRY(find_damage(*connection, DamageDepth::tables)).empty();
    }
    if (has_damage_) {
      TRY(make_private_folder(target_));
      RebuiltDatabase rebuilt = TRY(rebuild_database(copy_ / kDatabaseName, target_ / kDatabaseName, is_cancelled_));
      report_.losses = std::move(rebuilt.losses);
      lost_values_ = std::move(rebuilt.lost_values);
      return std::move(rebuilt.connection);
    }
    fs::rename(copy_, target_, failed);
    if (failed) return io_error("cannot make", target_, failed.value());
    std::unique_ptr<Connection> connection =
        TRY(Connection::open(target_ / kDatabaseName, sqlite::OpenMode::read_write));
    TRY(connection->execute(kReadSettings));
    return connection;
  }

  Status save_database() {
    const std::unique_ptr<Connection> connection = TRY(make_sound());
    const sqlite::CancellableStatements cancellable(*connection, is_cancelled_);
    TRY(mend_tables(*connection));
    sqlite::Transaction transaction = TRY(sqlite::Transaction::begin(*connection, sqlite::Transaction::Kind::write));
    const SchemaVersions versions = TRY(read_versions(*connection));
    const std::vector<CollectionRow> collections = TRY(list_collections(*connection, versions));
    has_catalog_ = true;
    TRY(refill_queue(*connection, versions, collections,
                     [&](const CollectionRow& row) { return bring_out(*connection, row); }));
    if (has_damage_) TRY(count_out_of_reach(*connection));
    TRY(transaction.commit());
    if (!has_damage_) return {};
    std::set<std::string, std::less<>> known;
    for (const CollectionRow& row : collections) known.insert(row.vector_segment);
    return export_indexes_without(known);
  }

  // Records whose collection is lost.
  Status count_out_of_reach(Connection& connection) {
    const auto number = static_cast<std::size_t>(
        TRY(connection.query_integer("SELECT count(*) FROM embeddings WHERE segment_id NOT IN "
                                     "(SELECT s.id FROM segments s JOIN collections c ON c.id = s.collection)")));
    if (number == 0) return {};
    report_.lost += number;
    report_.losses.push_back(std::to_string(number) +
                             " records are of no collection that can be read; what is there of " +
                             "them is in the tables of the new database, where nothing reaches it");
    return {};
  }

  Status save_vectors_alone(const Error& why) {
    std::error_code failed;
    fs::remove_all(target_, failed);
    TRY(make_private_folder(target_));
    report_ = {};
    TRY(export_indexes_without({}));
    if (report_.unassigned == 0) return why;
    report_.losses.insert(report_.losses.begin(),
                          "texts and metadata cannot be read, only vectors are left: " + why.message);
    return {};
  }

  Result<std::shared_ptr<const Recovered>> bring_out(Connection& connection, const CollectionRow& row) {
    auto recovered = std::make_shared<const Recovered>(TRY(recover(connection, folder_, row, Copies::used)));
    std::size_t shown = 0;
    for (const RecoveredRecord& record : recovered->records) {
      TRY(sqlite::check_wanted(is_cancelled_));
      const bool has_vector = TRY(vector_at(connection, *recovered, record.place)).has_value();
      const std::string loss = count(record, has_vector);
      if (!loss.empty() && ++shown <= kShown)
        report_.losses.push_back(in_quotes(row.name) + " record " + in_quotes(clean_text(record.id)) + ": " + loss);
    }
    if (shown > kShown)
      report_.losses.push_back(in_quotes(row.name) + ": " + std::to_string(shown - kShown) +
                               " more that are not whole");
    TRY(bring_out_unnamed(row, *recovered));
    return recovered;
  }

  // Says what the record has lost.
  std::string count(const RecoveredRecord& record, bool has_vector) {
    std::string loss = has_vector ? "" : "no vector of its present text is there";
    bool has_text = true;
    if (const auto lost = lost_values_.find(record.row); lost != lost_values_.end()) {
      for (const std::string& key : lost->second) {
        has_text = has_text && key != kDocumentKey;
        loss += loss.empty() ? "" : "; ";
        loss += key == kDocumentKey ? "its text is lost" : "its metadata " + in_quotes(key) + " is lost";
      }
    }
    ++(!has_text ? report_.lost : loss.empty() ? report_.saved : report_.saved_in_part);
    return loss;
  }

  // Vectors of the index that belong to no record.
  Status bring_out_unnamed(const CollectionRow& row, const Recovered& recovered) {
    if (recovered.ghosts > 0 && !has_damage_) {
      report_.losses.push_back(in_quotes(row.name) + ": " + std::to_string(recovered.ghosts) +
                               " vectors in the index belong to no record any more, and are left out");
    }
    if (recovered.has_index && recovered.ghosts > 0 && has_damage_) {
      TRY(export_to("ghosts-" + row.id + ".jsonl", *recovered.segments[0], in_quotes(row.name),
                    "whose records were deleted or cannot be read any more",
                    [&](const std::string* id) { return id != nullptr && !recovered.by_id.contains(*id); }));
    }
    if (recovered.has_index && recovered.unassigned > 0) {
      TRY(export_to("unassigned-" + row.id + ".jsonl", *recovered.segments[0], in_quotes(row.name),
                    "whose records cannot be told for certain", [](const std::string* id) { return id == nullptr; }));
    }
    return {};
  }

  // All indexes in the folder but those of the segments that are known.
  Status export_indexes_without(const std::set<std::string, std::less<>>& known) {
    std::set<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(folder_, failed), end; !failed && entry != end; entry.increment(failed)) {
      const std::string name = entry->path().filename().string();
      if (is_named_like_an_index(name) && !known.contains(name.substr(0, name.find('.')))) names.insert(name);
    }
    for (const std::string& name : names) {
      const std::shared_ptr<const SegmentFolder> index = TRY(SegmentFolder::open(folder_ / name, {}));
      if (!index) continue;
      if (known.empty()) report_.lost += index->labels().labels.size();
      TRY(export_to("vectors-" + name + ".jsonl", *index, "the index " + name,
                    "of no collection that can be read, those of a cosine space with length 1,",
                    [](const std::string*) { return true; }));
    }
    return {};
  }

  Status export_to(const std::string& name, const SegmentFolder& index, const std::string& of, const std::string& which,
                   const std::function<bool(const std::string* id)>& is_wanted) {
    const std::size_t number = TRY(export_vectors(index, target_ / name, is_wanted, is_cancelled_));
    if (number == 0) return {};
    report_.unassigned += number;
    report_.files.push_back(name);
    report_.losses.push_back(of + ": " + std::to_string(number) + " vectors " + which + " are in " + name);
    return {};
  }

  const fs::path& folder_;
  const fs::path copy_;
  const fs::path target_;
  const IsCancelled& is_cancelled_;
  bool has_damage_ = false;   // are pages of the database damaged?
  bool has_catalog_ = false;  // could its collections be read?
  LostValues lost_values_;
  SalvageReport report_;
};

}  // namespace

Result<SalvageReport> repair_folder(const fs::path& folder, const fs::path& output, const IsCancelled& is_cancelled) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return Error{ErrorKind::palace_not_found, "there is no Chroma database in " + folder.string()};
  if (fs::exists(output, ignored) && !(fs::is_directory(output, ignored) && fs::is_empty(output, ignored)))
    return Error{ErrorKind::already_exists, "there is something in " + output.string() + "; choose another folder"};
  if (is_inside(output, folder))
    return Error{ErrorKind::invalid_argument, output.string() + " is inside of the damaged folder; choose another one"};
  if (const std::optional<OpenFile> other = file_opened_by_others(folder)) {
    return Error{ErrorKind::busy, "process " + std::to_string(other->process) + " has " + other->path.string() +
                                      " open, as a running Chroma has; stop it first"};
  }
  const fs::path parent = fs::absolute(output).lexically_normal().parent_path();
  TRY(make_private_folder(parent));
  // Made aside and renamed, so that a half of it is never taken for the whole.
  const AsideFolder work = TRY(AsideFolder::create_in(parent));
  Repair repair(folder, work.path(), is_cancelled);
  SalvageReport report = TRY(repair.run());
  TRY(sqlite::check_wanted(is_cancelled));
  std::error_code failed;
  fs::rename(repair.target(), output, failed);
  if (failed) return io_error("cannot make", output, failed.value());
  TRY(sync_folder(parent));
  return report;
}

}  // namespace loci::chroma
