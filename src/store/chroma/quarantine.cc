#include "store/chroma/quarantine.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/open_files.h"
#include "store/chroma/queue.h"
#include "store/chroma/segment_name.h"

namespace loci::chroma {
namespace {

// A folder that is older than the limit allows.
struct Stale {
  std::string name;
  double gap_seconds = 0;
  std::string collection = {};
  std::size_t only_here = 0;
};

std::optional<double> changed_seconds(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
}

std::vector<Stale> stale_folders(const std::filesystem::path& folder, double stale_seconds) {
  std::vector<Stale> stale;
  const std::optional<double> database = changed_seconds(folder / kDatabaseName);
  if (!database) return stale;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (name.find('-') == std::string::npos || name.starts_with(".") || segment_of_copy(name) ||
        !entry->is_directory(ignored)) {
      continue;
    }
    const std::optional<double> index = changed_seconds(entry->path() / "data_level0.bin");
    if (index && *database - *index > stale_seconds) stale.push_back({.name = name, .gap_seconds = *database - *index});
  }
  std::sort(stale.begin(), stale.end(), [](const Stale& a, const Stale& b) { return a.name < b.name; });
  return stale;
}

// How many vectors Chroma would no longer have if it had to make the index anew, which it does by replaying its queue
// from the beginning: an update of an id that the queue did not add is passed over, and an add that was passed over
// when it came is none any more.
Result<std::size_t> vectors_only_in_index(Connection& connection, const CollectionRow& row, const Recovered& vectors) {
  std::unordered_map<std::string, std::int64_t> replayed;  // the row that the vector of an id would be of
  TRY(visit_queue(connection, row, 0, [&](const QueueRow& each) -> Status {
    if (!each.operation) return {};
    const std::string id(each.id);
    const bool has_vector = carries_vector(each, vectors.dimension);
    switch (*each.operation) {
      case QueueOperation::add:
        if (has_vector) replayed.try_emplace(id, each.seq);
        break;
      case QueueOperation::upsert:
        if (has_vector) replayed.insert_or_assign(id, each.seq);
        break;
      case QueueOperation::update:
        if (const auto found = replayed.find(id); found != replayed.end() && has_vector) found->second = each.seq;
        break;
      case QueueOperation::erase: replayed.erase(id); break;
    }
    return {};
  }));
  const auto comes_back = [&](const RecoveredRecord& record) -> Result<bool> {
    const auto found = replayed.find(record.id);
    if (found == replayed.end()) return false;
    if (record.place.kind == VectorPlace::Kind::queue) return found->second == record.place.at;
    const std::optional<Embedding> again = TRY(queue_vector(connection, found->second, vectors.dimension));
    const SegmentFolder& segment = *vectors.segments[record.place.segment];
    return again && segment.holds(static_cast<std::size_t>(record.place.at), *again);
  };
  std::size_t only_here = vectors.unassigned;
  for (const RecoveredRecord& record : vectors.records) {
    if (record.place.kind == VectorPlace::Kind::nowhere) continue;
    only_here += TRY(comes_back(record)) ? 0 : 1;
  }
  return only_here;
}

Status look_at_coverage(FolderPalace& palace, std::vector<Stale>& stale) {
  // Chroma makes the file before it fills it: no collection, so no vector that could be lost.
  std::error_code failed;
  if (std::filesystem::file_size(palace.folder() / kDatabaseName, failed) == 0 && !failed) return {};
  return palace.read([&](Connection& connection, const SchemaVersions& versions) -> Status {
    for (const CollectionRow& row : TRY(list_collections(connection, versions))) {
      const auto found =
          std::find_if(stale.begin(), stale.end(), [&](const Stale& each) { return each.name == row.vector_segment; });
      if (found == stale.end()) continue;
      found->collection = row.name;
      const std::shared_ptr<const Recovered> vectors = TRY(palace.vectors(connection, row));
      found->only_here = TRY(vectors_only_in_index(connection, row, *vectors));
    }
    return {};
  });
}

std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::path free = folder / name;
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(free, ignored)); ++number)
    free = folder / (name + "-" + std::to_string(number));
  return free;
}

// Never onto something that is there: a plain rename would take the place of an empty folder without a word.
Status rename_aside(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  return Error{ErrorKind::io,
               "cannot rename " + from.string() + " to " + to.filename().string() + ": " + std::strerror(errno)};
}

std::string reason_for(const Stale& each) {
  return "renaming it would lose " + std::to_string(each.only_here) + (each.only_here == 1 ? " vector" : " vectors") +
         " of the collection " + each.collection + ", which the queue does not have any more";
}

}  // namespace

Result<QuarantineReport> quarantine_stale(FolderPalace& palace, const QuarantineRequest& request, std::int64_t now_ms) {
  QuarantineReport report;
  std::vector<Stale> stale = stale_folders(palace.folder(), request.stale_seconds);
  if (stale.empty()) return report;
  TRY(look_at_coverage(palace, stale));
  palace.release();  // holds files of the folder open
  if (request.apply == Apply::yes) {
    if (const std::optional<OpenFile> other = file_opened_by_others(palace.folder())) {
      return Error{ErrorKind::busy, "process " + std::to_string(other->process) + " has " + other->path.string() +
                                        " open, as a running Chroma has; stop it first"};
    }
  }
  const std::string suffix = ".drift-" + copy_time(static_cast<std::time_t>(now_ms / 1000));
  for (const Stale& each : stale) {
    if (each.only_here > 0 && !request.with_losses) {
      report.refused.push_back({each.name, each.collection, each.only_here, each.gap_seconds, reason_for(each)});
      continue;
    }
    const std::filesystem::path from = palace.folder() / each.name;
    const std::filesystem::path to = free_name(palace.folder(), each.name + suffix);
    if (request.apply == Apply::yes) {
      if (Status renamed = rename_aside(from, to); !renamed.ok()) {
        Error error = renamed.error();
        for (const QuarantineReport::Moved& done : report.moved)
          error.message += "; renamed before: " + done.to.filename().string();
        return error;
      }
    }
    report.moved.push_back({from, to, each.gap_seconds});
  }
  if (request.apply == Apply::yes && !report.moved.empty()) TRY(sync_folder(palace.folder()));
  return report;
}

}  // namespace loci::chroma
