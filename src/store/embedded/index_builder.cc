#include "store/embedded/index_builder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>
#include <thread>

#include <dirent.h>

#include "base/file_lock.h"
#include "base/random.h"
#include "store/embedded/checksum.h"
#include "store/embedded/index_plan.h"
#include "store/embedded/row_writer.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"
#include "vector/segment_builder.h"

namespace loci::embedded {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kIndexLease = "index.lock";
constexpr auto kPatience = 120s;
constexpr std::size_t kCenterSamples = 2000;
constexpr double kListsPerRoot = 1;
constexpr std::size_t kRowsAtOnce = 4000;  // in one snapshot: a long one would keep the log from being moved

// Is the vector in column 0, with its checksum in column 1, the one that was stored?
bool is_sound(const Statement& select, std::int64_t row, std::size_t dimension) {
  const std::span<const std::uint8_t> blob = select.blob(0);
  return is_intact(select, 1, blob_checksum(row, blob)) && blob.size() == dimension * sizeof(float);
}

// The vectors of these rows, as far as they are still there and whole. Each read is a snapshot of its own: what changed
// in between has a later seq than the plan, and whoever searches looks at it by itself.
template <typename Visit>
Status read_vectors(Database& database, const CollectionRow& collection, std::span<const std::int64_t> rows,
                    const Visit& visit, std::vector<std::int64_t>* damaged = nullptr) {
  for (std::size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
    TRY(database.read([&](Connection& connection) -> Status {
      Statement select = TRY(connection.prepare("SELECT embedding, checksum FROM vectors WHERE row = ?1"));
      for (const std::int64_t row : rows.subspan(first, std::min(kRowsAtOnce, rows.size() - first))) {
        if (TRY(select.bind(1, row).step())) {
          if (is_sound(select, row, *collection.dimension)) {
            visit(row, from_blob(select.blob(0)));
          } else if (damaged != nullptr) {
            damaged->push_back(row);
          }
        }
        select.reset();
      }
      return {};
    }));
  }
  return {};
}

// About the mean of the vectors.
Result<std::vector<float>> find_center(Database& database, const CollectionRow& collection,
                                       std::span<const std::int64_t> rows) {
  std::vector<std::int64_t> sample;
  const std::size_t step = std::max<std::size_t>(1, rows.size() / kCenterSamples);
  for (std::size_t i = 0; i < rows.size(); i += step) sample.push_back(rows[i]);
  std::vector<double> sum(*collection.dimension);
  std::size_t count = 0;
  TRY(read_vectors(database, collection, sample, [&](std::int64_t, Embedding vector) {
    if (!Encoder::normalize(collection.metric, vector)) return;
    for (std::size_t i = 0; i < vector.size(); ++i) sum[i] += double{vector[i]};
    ++count;
  }));
  std::vector<float> center(sum.size());
  for (std::size_t i = 0; i < sum.size(); ++i)
    center[i] = static_cast<float>(sum[i] / static_cast<double>(std::max<std::size_t>(1, count)));
  return center;
}

// Writes and saves the segment as a file that nobody knows of yet.
Result<std::string> write_file(Database& database, SegmentBuilder& builder) {
  const std::filesystem::path folder = database.index().segments.folder();
  FileLayer& files = *database.index().options.files;
  TRY(files.make_folder(folder));
  const std::string name = random_hex(16) + ".seg";
  const std::filesystem::path aside = folder / (name + ".tmp");
  const auto write = [&]() -> Status {
    const std::unique_ptr<NewFile> file = TRY(files.create(aside));
    TRY(builder.write_to(*file));
    TRY(file->sync());
    TRY(files.rename(aside, folder / name));
    return files.sync_folder(folder);
  };
  const Status written = write();
  if (!written.ok()) {
    static_cast<void>(files.remove(aside));
    return written.error();
  }
  return name;
}

// A flat segment of these rows, without those whose vector is damaged.
Result<SegmentRow> write_segment(Database& database, const IndexPlan& plan, std::span<const std::int64_t> rows,
                                 std::vector<std::int64_t>& damaged) {
  const std::vector<float> center = TRY(find_center(database, plan.collection, rows));
  SegmentBuilder builder({.palace = plan.palace,
                          .collection = plan.collection.id,
                          .generation = plan.seq,
                          .metric = plan.collection.metric,
                          .dimension = static_cast<std::uint32_t>(*plan.collection.dimension),
                          .model = plan.collection.model},
                         center, static_cast<std::uint64_t>(plan.seq));
  builder.reserve(rows.size());
  const auto add = [&](std::int64_t row, const Embedding& vector) { builder.add(row, vector); };
  TRY(read_vectors(database, plan.collection, rows, add, &damaged));
  SegmentRow made{.collection = plan.collection.id, .generation = plan.seq, .covered_seq = plan.seq};
  if (builder.size() == 0) return made;
  made.file = TRY(write_file(database, builder));
  made.rows = builder.size();
  return made;
}

// How many lists make a search fast: with more of them the rows to be read grow fewer, and the centroids more.
std::size_t list_count(std::size_t rows) {
  return static_cast<std::size_t>(kListsPerRoot * std::sqrt(static_cast<double>(rows)));
}

Error damaged_segment(const SegmentRow& row) {
  return {ErrorKind::corruption, "the segment " + row.file + " is damaged"};
}

// The dead slots of a segment that now covers up to `seq`: those that it has, and those of the rows.
Status cover(Connection& connection, const LiveSegment& live, const Changes& changes, std::int64_t seq) {
  std::vector<std::uint32_t> dead = TRY(dead_slots(connection, live.row.id));
  for (const std::vector<std::int64_t>* rows : {&changes.written, &changes.removed}) {
    for (const std::int64_t row : *rows) {
      if (const auto slot = live.segment->slot_of(row)) dead.push_back(*slot);
    }
  }
  if (!live.segment->is_intact()) return damaged_segment(live.row);
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  return set_covered(connection, live.row.id, seq, dead);
}

// A damaged vector is as good as none. Its record counts as missing from now on, so that searches by meaning go on
// without it and say so, and it can be made anew.
Status set_vector_aside(Connection& connection, const CollectionRow& collection, std::int64_t row) {
  Statement select = TRY(
      connection.prepare("SELECT v.embedding, v.checksum FROM vectors v JOIN records r ON r.row = v.row WHERE v.row = "
                         "?1 AND r.collection = ?2"));
  const bool is_there = TRY(select.bind(1, row).bind(2, collection.id).step());
  if (!is_there || is_sound(select, row, *collection.dimension)) return {};  // written anew in between
  select.reset();
  for (const std::string_view sql : {"DELETE FROM vectors WHERE row = ?1", "DELETE FROM next_vectors WHERE row = ?1"}) {
    Statement remove = TRY(connection.prepare(sql));
    TRY(remove.bind(1, row).run());
  }
  const std::int64_t seq = TRY(take_seqs(connection));
  Statement update = TRY(connection.prepare("UPDATE records SET embedded = ?2, seq = ?3 WHERE row = ?1"));
  return update.bind(1, row).bind(2, static_cast<std::int64_t>(VectorState::missing)).bind(3, seq).run();
}

// Makes the new segments those that count, in one transaction, and sets the damaged vectors aside. False: the
// collection or its segments are no longer as they were planned with.
Result<bool> publish(Database& database, const IndexPlan& plan, const std::vector<SegmentRow>& made,
                     const std::vector<std::int64_t>& damaged) {
  return database.write([&](Connection& connection) -> Result<bool> {
    const std::optional<CollectionRow> now = TRY(find_collection(connection, plan.collection.name));
    const bool is_same = now && now->id == plan.collection.id && now->dimension == plan.collection.dimension &&
                         now->model == plan.collection.model;
    const std::vector<SegmentRow> there = TRY(list_segments(connection, plan.collection.id));
    if (!is_same || there.size() != plan.replaced.size() + plan.kept.size()) return false;
    // Rows that have changed yet again since the plan have a seq beyond it and need no mention.
    if (!plan.kept.empty()) {
      const Changes changes = TRY(changes_after(connection, plan.collection.id, plan.kept.front().covered_seq));
      for (const SegmentRow& row : plan.kept)
        TRY(cover(connection, TRY(database.index().segments.open_one(connection, *now, row, plan.palace)), changes,
                  plan.seq));
    }
    for (const SegmentRow& row : plan.replaced) TRY(remove_segment(connection, row.id));
    for (const SegmentRow& row : made) TRY(insert_segment(connection, row));
    for (const std::int64_t row : damaged) TRY(set_vector_aside(connection, *now, row));
    return true;
  });
}

// Removes files that no row names: what a builder left that died, and what was replaced or dropped. The lease is ours,
// so nobody else is writing one.
Status remove_strays(Database& database) {
  const std::filesystem::path folder = database.index().segments.folder();
  const std::vector<SegmentRow> published =
      TRY(database.read([](Connection& connection) { return list_all_segments(connection); }));
  std::set<std::string> named;
  for (const SegmentRow& row : published) named.insert(row.file);
  // Not by std::filesystem, which ends the process when it runs out of memory here.
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = entries != nullptr ? ::readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    std::string_view segment = name;  // that a mark of damage is about
    if (segment.ends_with(kDamagedSuffix)) segment.remove_suffix(kDamagedSuffix.size());
    const bool is_ours = segment.ends_with(".seg") || name.ends_with(".seg.tmp");
    // One that cannot be removed does no harm, and the next builder tries again.
    if (is_ours && !named.contains(std::string(segment)))
      static_cast<void>(database.index().options.files->remove(folder / name));
  }
  return {};
}

// Sorts one flat segment that is large enough into lists; nothing when there is none. What is in it stays the same, so
// that nothing is read but its own codes.
Result<IndexReport> add_lists(Database& database, std::string_view name) {
  IndexContext& index = database.index();
  IndexReport report;
  const std::optional<FlatSegment> flat =
      TRY(database.read([&](Connection& connection) -> Result<std::optional<FlatSegment>> {
        return find_flat_segment(connection, index, TRY(load_collection(connection, name)));
      }));
  if (!flat) return report;
  const LiveSegment& old = flat->live;
  SegmentBuilder builder = TRY(SegmentBuilder::again(*old.segment));
  builder.partition(list_count(builder.size()));
  SegmentRow made = old.row;
  made.file = TRY(write_file(database, builder));
  if (!old.segment->is_intact()) return damaged_segment(old.row);
  const bool is_published = TRY(database.write([&](Connection& connection) -> Result<bool> {
    const std::optional<CollectionRow> now = TRY(find_collection(connection, name));
    const std::vector<SegmentRow> there = TRY(list_segments(connection, made.collection));
    const bool is_same = now && now->id == made.collection && std::any_of(there.begin(), there.end(), [&](auto& row) {
                           return row.id == old.row.id && row.covered_seq == old.row.covered_seq;
                         });
    if (!is_same) return false;
    Changes dead;  // the slots are others now
    for (const std::uint32_t slot : TRY(dead_slots(connection, old.row.id))) {
      const std::optional<std::int64_t> row = old.segment->row_at(slot);
      if (!row) return damaged_segment(old.row);
      dead.removed.push_back(*row);
    }
    made.dead = 0;
    TRY(remove_segment(connection, old.row.id));
    made.id = TRY(insert_segment(connection, made));
    const LiveSegment live = TRY(index.segments.open_one(connection, *now, made, flat->palace));
    TRY(cover(connection, live, dead, made.covered_seq));
    return true;
  }));
  TRY(remove_strays(database));
  if (is_published) report = {.segments = 1, .rows = made.rows, .merged = 1};
  return report;
}

Result<IndexReport> build(Database& database, std::string_view name, Rebuild rebuild) {
  const IndexPlan plan = TRY(database.read([&](Connection& connection) -> Result<IndexPlan> {
    return plan_index(connection, database.index(), TRY(load_collection(connection, name)), rebuild);
  }));
  IndexReport report;
  if (plan.is_empty()) return report;
  const std::size_t most_rows =
      std::max<std::size_t>(1, database.index().options.segment_bytes / plan.collection.dimension.value_or(1));
  std::vector<SegmentRow> made;
  std::vector<std::int64_t> damaged;
  for (std::size_t first = 0; first < plan.rows.size(); first += most_rows) {
    const std::size_t count = std::min(most_rows, plan.rows.size() - first);
    SegmentRow row = TRY(write_segment(database, plan, std::span(plan.rows).subspan(first, count), damaged));
    report.rows += row.rows;
    if (row.rows > 0) made.push_back(std::move(row));
  }
  const bool is_published = TRY(publish(database, plan, made, damaged));
  TRY(remove_strays(database));
  if (!is_published) return IndexReport{};
  report.segments = made.size();
  report.merged = plan.replaced.size();
  return report;
}

}  // namespace

Result<IndexReport> index_collection(Database& database, std::string_view collection) {
  if (database.access() == Access::read_only) return IndexReport{};
  LockFile lease = TRY(LockFile::open(database.folder() / kIndexLease));
  if (!lease.try_lock(0)) return IndexReport{.was_busy = true};
  const IndexReport report = TRY(build(database, collection, Rebuild::what_is_due));
  if (report.segments > 0) return report;
  const Result<IndexReport> lists = add_lists(database, collection);
  // The file is damaged where nobody has looked yet.
  if (!lists.ok() && lists.error().kind == ErrorKind::corruption)
    return build(database, collection, Rebuild::everything);
  return lists;
}

Result<IndexReport> rebuild_index(Database& database) {
  LockFile lease = TRY(LockFile::open(database.folder() / kIndexLease));
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!lease.try_lock(0)) {
    if (std::chrono::steady_clock::now() > deadline)
      return Error{ErrorKind::busy, "another process is building the vector index; try again later"};
    std::this_thread::sleep_for(20ms);
  }
  IndexReport total;
  for (const CollectionRow& collection :
       TRY(database.read([](Connection& connection) { return list_collections(connection); }))) {
    const IndexReport report = TRY(build(database, collection.name, Rebuild::everything));
    total.segments += report.segments;
    total.rows += report.rows;
    total.merged += report.merged;
    while (TRY(add_lists(database, collection.name)).segments > 0) {
    }
  }
  return total;
}

}  // namespace loci::embedded
