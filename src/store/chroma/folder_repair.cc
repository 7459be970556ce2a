#include "store/chroma/folder_repair.h"

#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/open_files.h"
#include "base/temporary_folder.h"
#include "store/chroma/database_copy.h"
#include "store/chroma/queue_refill.h"
#include "store/chroma/recovery.h"
#include "store/chroma/segment_name.h"
#include "store/contract.h"

namespace loci::chroma {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 100;  // losses of each collection that are named

// A UUID, or one with something behind it: an index of Chroma's, or what was one.
bool is_named_like_an_index(std::string_view name) { return is_segment_name(name.substr(0, name.find('.'))); }

// Everything but the database and the indexes.
Status copy_the_rest(const fs::path& folder, const fs::path& target) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
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

// The live slots of an index whose labels are lost, and whose records cannot be told: one line of JSON each.
Result<std::size_t> export_unassigned(const Recovered& recovered, const fs::path& file) {
  const SegmentFolder& index = *recovered.segments[0];
  std::unordered_set<std::uint64_t> named;
  for (const auto& [id, label] : index.labels().labels) named.insert(label);
  std::ofstream out(file, std::ios::binary);
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < index.slots(); ++slot) {
    if (index.is_deleted(slot) || named.contains(index.label(slot))) continue;
    const std::optional<Embedding> vector = index.vector(slot);
    if (!vector) continue;
    out << nlohmann::json{{"label", index.label(slot)}, {"slot", slot}, {"vector", *vector}}.dump() << '\n';
    ++count;
  }
  out.close();
  if (!out) return Error{ErrorKind::io, "cannot write " + file.string()};
  return count;
}

// For one repair.
class Repair {
 public:
  Repair(const fs::path& folder, const fs::path& target) : folder_(folder), target_(target) {}

  Result<SalvageReport> run() {
    {
      const std::unique_ptr<Connection> connection = TRY(copy_and_mend(folder_, target_));
      sqlite::Transaction transaction = TRY(sqlite::Transaction::begin(*connection, sqlite::Transaction::Kind::write));
      const SchemaVersions versions = TRY(read_versions(*connection));
      const std::vector<CollectionRow> collections = TRY(list_collections(*connection, versions));
      TRY(refill_queue(*connection, versions, collections,
                       [&](const CollectionRow& row) { return bring_out(*connection, row); }));
      TRY(transaction.commit());
    }
    TRY(copy_the_rest(folder_, target_));
    return std::move(report_);
  }

 private:
  Result<std::shared_ptr<const Recovered>> bring_out(Connection& connection, const CollectionRow& row) {
    auto recovered = std::make_shared<const Recovered>(TRY(recover(connection, folder_, row, Copies::used)));
    std::size_t shown = 0;
    for (const RecoveredRecord& record : recovered->records) {
      const std::optional<Embedding> vector = TRY(vector_at(connection, *recovered, record.place));
      ++(vector ? report_.saved : report_.saved_in_part);
      if (vector || ++shown > kShown) continue;
      report_.losses.push_back(in_quotes(row.name) + " record " + in_quotes(clean_text(record.id)) +
                               ": no vector of its present text is there");
    }
    if (shown > kShown)
      report_.losses.push_back(in_quotes(row.name) + ": " + std::to_string(shown - kShown) + " more without a vector");
    if (recovered->ghosts > 0) {
      report_.losses.push_back(in_quotes(row.name) + ": " + std::to_string(recovered->ghosts) +
                               " vectors in the index belong to no record any more, and are left out");
    }
    if (recovered->has_index && recovered->unassigned > 0) {
      const std::string name = "unassigned-" + row.id + ".jsonl";
      const std::size_t count = TRY(export_unassigned(*recovered, target_ / name));
      report_.unassigned += count;
      report_.files.push_back(name);
      report_.losses.push_back(in_quotes(row.name) + ": " + std::to_string(count) +
                               " vectors whose records cannot be told for certain are in " + name);
    }
    return recovered;
  }

  const fs::path& folder_;
  const fs::path& target_;
  SalvageReport report_;
};

}  // namespace

Result<SalvageReport> repair_folder(const fs::path& folder, const fs::path& output) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / kDatabaseName, ignored))
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
  TemporaryFolder work = TRY(TemporaryFolder::create_in(parent, ".loci-repair-"));
  const fs::path made = work.path() / "folder";
  TRY(make_private_folder(made));
  SalvageReport report = TRY(Repair(folder, made).run());
  std::error_code failed;
  fs::rename(made, output, failed);
  if (failed) return io_error("cannot make", output, failed.value());
  TRY(sync_folder(parent));
  return report;
}

}  // namespace loci::chroma
