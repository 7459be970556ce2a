#include "store/embedded/duplicates.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/row_writer.h"
#include "store/embedded/schema.h"

namespace loci::embedded {
namespace {

constexpr std::string_view kTags = "tags";

struct Pair {
  std::int64_t keeper;
  std::int64_t other;
};

Result<std::vector<Pair>> find_pairs(Connection& connection, DuplicatesBy by) {
  const std::string group = by == DuplicatesBy::id ? "collection, id" : "source, content_hash, occurrence";
  const std::string scope = by == DuplicatesBy::id ? "" : " WHERE source IS NOT NULL";
  const std::string window = " OVER (PARTITION BY " + group + " ORDER BY use_count DESC, created_at, id, row)";
  Statement select = TRY(connection.prepare("SELECT keeper, row FROM (SELECT row, first_value(row)" + window +
                                            " AS keeper FROM records" + scope + ") WHERE row <> keeper ORDER BY row"));
  std::vector<Pair> pairs;
  while (TRY(select.step())) pairs.push_back({select.integer(0), select.integer(1)});
  return pairs;
}

struct Row {
  std::int64_t collection = 0;
  std::string id;
  bool embedded = false;
  Metadata metadata;
  std::string source;  // its name, and what it shares
  Metadata shared;
};

Result<Row> load(Connection& connection, std::int64_t row) {
  Statement select =
      TRY(connection.prepare("SELECT r.collection, r.id, r.embedded, r.metadata, s.metadata, s.name FROM records r "
                             "LEFT JOIN sources s ON s.id = r.source WHERE r.row = ?1"));
  if (!TRY(select.bind(1, row).step())) return Error{ErrorKind::internal, "a duplicate vanished while it was merged"};
  Metadata shared;
  if (!select.is_null(4)) shared = TRY(decode_metadata(select.blob(4)));
  return Row{select.integer(0),           std::string(select.text(1)),
             select.integer(2) == 1,      TRY(decode_merged(select.blob(3), select.blob(4))),
             std::string(select.text(5)), std::move(shared)};
}

// The keeper's tags, then those of the other that it lacks.
bool add_tags(Metadata& keeper, const Metadata& other) {
  const auto found = other.find(kTags);
  if (found == other.end() || !std::holds_alternative<std::vector<std::string>>(found->second)) return false;
  MetadataValue& value = keeper.try_emplace(std::string(kTags), std::vector<std::string>{}).first->second;
  auto* tags = std::get_if<std::vector<std::string>>(&value);
  if (tags == nullptr) return false;
  const std::size_t before = tags->size();
  for (const std::string& tag : std::get<std::vector<std::string>>(found->second)) {
    if (std::find(tags->begin(), tags->end(), tag) == tags->end()) tags->push_back(tag);
  }
  return tags->size() > before;
}

Status run_for(Connection& connection, std::string_view sql, const Pair& pair) {
  Statement statement = TRY(connection.prepare(sql));
  return statement.bind(1, pair.keeper).bind(2, pair.other).run();
}

Status merge(Connection& connection, const Pair& pair) {
  Row keeper = TRY(load(connection, pair.keeper));
  const Row other = TRY(load(connection, pair.other));

  TRY(run_for(connection,
              "INSERT OR IGNORE INTO links(row, kind, target) SELECT ?1, kind, target FROM links WHERE row = ?2",
              pair));
  if (keeper.id != other.id) {
    // Links that point at the other one now point at the keeper, unless the keeper has them already.
    Statement copy =
        TRY(connection.prepare("INSERT OR IGNORE INTO links(row, kind, target) SELECT l.row, l.kind, ?1 FROM links l "
                               "JOIN records r ON r.row = l.row "
                               "WHERE l.target = ?2 AND r.collection = ?3"));
    TRY(copy.bind(1, keeper.id).bind(2, other.id).bind(3, keeper.collection).run());
    Statement remove = TRY(connection.prepare(
        "DELETE FROM links WHERE target = ?1 AND row IN (SELECT row FROM records WHERE collection = ?2)"));
    TRY(remove.bind(1, other.id).bind(2, keeper.collection).run());
  }
  if (!keeper.embedded && other.embedded) {
    Statement select = TRY(connection.prepare("SELECT embedding FROM vectors WHERE row = ?1"));
    if (TRY(select.bind(1, pair.other).step())) {
      TRY(write_vector(connection, pair.keeper, select.blob(0)));
      TRY(run_for(connection, "UPDATE records SET embedded = 1 WHERE row = ?1 AND row <> ?2", pair));
    }
  }
  TRY(run_for(
      connection,
      "UPDATE records SET use_count = use_count + (SELECT use_count FROM records WHERE row = ?2) WHERE row = ?1",
      pair));
  if (add_tags(keeper.metadata, other.metadata)) {
    TRY(write_own_metadata(connection, pair.keeper, keeper.id, keeper.source,
                           encode_own(keeper.metadata, keeper.shared)));
  }
  TRY(erase_row(connection, other.collection, pair.other, other.id));
  const std::int64_t seq = TRY(take_seqs(connection));
  Statement touch = TRY(connection.prepare("UPDATE records SET seq = ?2, updated_at = ?3 WHERE row = ?1"));
  return touch.bind(1, pair.keeper).bind(2, seq).bind(3, now_unix_ms()).run();
}

}  // namespace

Result<std::size_t> merge_duplicates(Connection& connection, DuplicatesBy by) {
  const std::vector<Pair> pairs = TRY(find_pairs(connection, by));
  for (const Pair& pair : pairs) TRY(merge(connection, pair));
  return pairs.size();
}

Status separate_similar_keys(Connection& connection) {
  std::vector<std::int64_t> later;
  {
    Statement select = TRY(connection.prepare(
        "SELECT row FROM (SELECT row, first_value(row) OVER (PARTITION BY source, substr(content_hash, 1, 16), "
        "occurrence ORDER BY row) AS first FROM records WHERE source IS NOT NULL) WHERE row <> first ORDER BY row"));
    while (TRY(select.step())) later.push_back(select.integer(0));
  }
  for (const std::int64_t row : later) {
    const std::int64_t seq = TRY(take_seqs(connection));
    Statement move = TRY(connection.prepare(
        "UPDATE records SET seq = ?2, occurrence = (SELECT max(other.occurrence) + 1 FROM records other WHERE "
        "other.source = records.source AND substr(other.content_hash, 1, 16) = substr(records.content_hash, 1, 16)) "
        "WHERE row = ?1"));
    TRY(move.bind(1, row).bind(2, seq).run());
  }
  return {};
}

}  // namespace loci::embedded
