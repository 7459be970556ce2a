#include "store/chroma/seq_id_repair.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "store/chroma/queue.h"
#include "store/chroma/seq_id.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kShown = 20;
constexpr std::string_view kSentinelId = "loci:sentinel";

// One number that is to be written anew.
struct Rewrite {
  std::int64_t row = 0;
  std::int64_t seq = 0;
};

std::string blob_text(std::span<const std::uint8_t> blob) {
  constexpr char kDigits[] = "0123456789abcdef";
  constexpr std::size_t kLongest = 24;
  std::string text = "x'";
  for (std::size_t i = 0; i < std::min(blob.size(), kLongest); ++i) {
    text += kDigits[blob[i] >> 4];
    text += kDigits[blob[i] & 15];
  }
  return text + (blob.size() > kLongest ? "…'" : "'");
}

class SeqIdRepair {
 public:
  SeqIdRepair(Connection& connection, const SchemaVersions& versions) : connection_(connection), versions_(versions) {}

  Result<MendReport> run(Apply apply) {
    TRY(look_at_frontiers());
    TRY(look_at_rows());
    TRY(look_at_queue());
    if (apply == Apply::yes) {
      TRY(rewrite("max_seq_id", frontiers_));
      TRY(rewrite("embeddings", rows_));
      TRY(insert_sentinel());
    }
    return std::move(report_);
  }

 private:
  bool wants_integers() const { return versions_.has_integer_frontiers(); }
  std::string text_of(std::int64_t seq) const {
    return wants_integers() ? std::to_string(seq) : blob_text(encode_seq_id(seq));
  }
  void change(std::string what, std::string from, std::string to) {
    ++report_.changed;
    if (report_.changes.size() < kShown) report_.changes.push_back({std::move(what), std::move(from), std::move(to)});
  }
  void leave(std::string what, std::string why, std::string fix, bool needs_attention = true) {
    report_.left.push_back({std::move(what), std::move(why), std::move(fix), needs_attention});
  }

  Status look_at_frontiers();
  Status look_at_rows();
  Status look_at_queue();
  Status rewrite(std::string_view table, const std::vector<Rewrite>& rewrites);
  Status insert_sentinel();

  Connection& connection_;
  const SchemaVersions& versions_;
  MendReport report_;
  std::vector<Rewrite> frontiers_;
  std::vector<Rewrite> rows_;
  std::int64_t highest_ = 0;  // of the frontiers, as they will be
  std::string topic_;         // of the collection that has it
  bool needs_sentinel_ = false;
};

Status SeqIdRepair::look_at_frontiers() {
  std::map<std::string, std::string, std::less<>> topics;  // by segment
  for (const CollectionRow& row : TRY(list_collections(connection_, versions_))) {
    topics.emplace(row.vector_segment, row.topic);
    topics.emplace(row.metadata_segment, row.topic);
  }
  Statement select = TRY(connection_.prepare("SELECT rowid, segment_id, seq_id FROM max_seq_id ORDER BY rowid"));
  std::size_t kept_blobs = 0;
  while (TRY(select.step())) {
    const std::string what = "max_seq_id of segment " + clean_text(select.text(1));
    const bool is_blob = select.is_blob(2);
    const std::optional<std::int64_t> stored = seq_id_at(select, 2);
    const std::string from = is_blob ? blob_text(select.blob(2)) : clean_text(select.text(2));
    std::optional<std::int64_t> seq = stored;
    if (stored && *stored >= kLargestSeqId) seq = unpoisoned(*stored);
    if (!seq) {
      leave("unreadable frontier", what + " is " + from + ", which is no sequence number",
            "loci repair --backend chroma --output NEW");
      continue;
    }
    if (const auto topic = topics.find(select.text(1)); topic != topics.end() && *seq > highest_) {
      highest_ = *seq;
      topic_ = topic->second;
    }
    if (is_blob == wants_integers() || *seq != *stored) {
      frontiers_.push_back({select.integer(0), *seq});
      change(what, from, text_of(*seq));
    } else if (is_blob) {
      ++kept_blobs;
    }
  }
  if (kept_blobs > 0) {
    leave("BLOB frontier",
          std::to_string(kept_blobs) +
              " frontiers stay BLOBs: Chroma's own migration to integers (metadb 5) has not "
              "run here, converts them itself, and poisons those that somebody converted before",
          "open the folder once with Chroma 1.0 or later", false);
  }
  return {};
}

Status SeqIdRepair::look_at_rows() {
  Statement select = TRY(connection_.prepare("SELECT id, seq_id FROM embeddings WHERE (typeof(seq_id) = 'blob') = ?1"));
  select.bind(1, std::int64_t{wants_integers() ? 1 : 0});
  while (TRY(select.step())) {
    const std::optional<std::int64_t> seq = seq_id_at(select, 1);
    if (!seq) continue;  // nobody reads it
    rows_.push_back({select.integer(0), *seq});
  }
  if (rows_.empty()) return {};
  change("seq_id of " + std::to_string(rows_.size()) + " rows of embeddings", wants_integers() ? "BLOB" : "INTEGER",
         wants_integers() ? "INTEGER" : "BLOB");
  return {};
}

// Behind a queue that is empty the next write would get the number 1, which every frontier has passed.
Status SeqIdRepair::look_at_queue() {
  const std::int64_t last = TRY(last_queue_seq(connection_));
  needs_sentinel_ = last < highest_;
  if (!needs_sentinel_) return {};
  change("embeddings_queue", last == 0 ? "empty" : "ends at " + std::to_string(last),
         "a row that does nothing at " + std::to_string(highest_));
  return {};
}

Status SeqIdRepair::rewrite(std::string_view table, const std::vector<Rewrite>& rewrites) {
  if (rewrites.empty()) return {};
  Statement update = TRY(connection_.prepare("UPDATE " + std::string(table) + " SET seq_id = ?1 WHERE rowid = ?2"));
  for (const Rewrite& each : rewrites) {
    update.bind(2, each.row);
    TRY(run_with_seq_id(update, 1, each.seq, versions_));
  }
  return {};
}

Status SeqIdRepair::insert_sentinel() {
  if (!needs_sentinel_) return {};
  constexpr std::int64_t kErase = static_cast<std::int64_t>(QueueOperation::erase);
  Statement insert = TRY(connection_.prepare(
      "INSERT INTO embeddings_queue (seq_id, operation, topic, id, metadata) VALUES (?1, ?2, ?3, ?4, '{}')"));
  return insert.bind(1, highest_).bind(2, kErase).bind(3, topic_).bind(4, kSentinelId).run();
}

}  // namespace

Result<MendReport> repair_seq_ids(FolderPalace& palace, Apply apply) {
  const auto run = [&](Apply how) {
    return [how](Connection& connection, const SchemaVersions& versions) -> Result<MendReport> {
      return SeqIdRepair(connection, versions).run(how);
    };
  };
  const Result<MendReport> planned = palace.read(run(Apply::no));
  if (!planned.ok() && planned.error().kind == ErrorKind::palace_not_found) return MendReport();
  // What needs no change is not opened for writing.
  if (!planned.ok() || apply == Apply::no || planned->changed == 0) return planned;
  return palace.write(IfMissing::fail, run(Apply::yes));
}

}  // namespace loci::chroma
