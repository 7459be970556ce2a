#include "store/embedded/salvage.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/utf8.h"
#include "store/contract.h"
#include "store/embedded/catalog.h"
#include "store/embedded/checksum.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kBatch = 500;
constexpr std::size_t kShownLosses = 20;

// The largest row number that any table knows of. Damage may hide some of the answers, and a damaged number may be
// huge, so what the counter of SQLite says comes first.
std::int64_t last_row(Connection& connection) {
  std::int64_t last = 0;
  for (const std::string_view sql : {"SELECT seq FROM sqlite_sequence WHERE name = 'records'",
                                     "SELECT max(row) FROM documents", "SELECT max(row) FROM records NOT INDEXED"}) {
    const Result<std::int64_t> answer = connection.query_integer(sql);
    if (answer.ok()) last = std::max(last, *answer);
    if (last > 0) break;
  }
  return last;
}

// What could be read of one row.
struct Salvaged {
  bool has_record = false;
  bool has_text = false;
  bool is_whole = true;
  std::int64_t collection = 0;
  Record record;
};

class Reader {
 public:
  explicit Reader(Connection& connection) : connection_(connection) {}

  Salvaged read(std::int64_t row) {
    Salvaged found;
    read_text(row, found);
    if (!read_record(row, found).ok()) found.is_whole = false;
    if (found.has_record && !read_vector(row, found).ok()) found.is_whole = false;
    if (found.has_record && !read_links(row, found).ok()) found.is_whole = false;
    return found;
  }

 private:
  void read_text(std::int64_t row, Salvaged& found) {
    Result<Statement> select = connection_.prepare("SELECT text, checksum FROM documents WHERE row = ?1");
    if (!select.ok()) return;
    const Result<bool> there = select->bind(1, row).step();
    if (!there.ok() || !*there) return;
    const std::string_view text = select->text(0);
    found.has_text = is_intact(*select, 1, text_checksum(row, text)) && is_valid_utf8(text);
    if (found.has_text) found.record.document = text;
  }

  Status read_record(std::int64_t row, Salvaged& found) {
    RecordDetails details;
    std::optional<std::int64_t> source;
    std::int64_t checksum = 0;
    {
      Statement select =
          TRY(connection_.prepare("SELECT collection, id, metadata, checksum, use_count, created_at, updated_at, "
                                  "source, content_hash, occurrence "
                                  "FROM records NOT INDEXED WHERE row = ?1"));
      if (!TRY(select.bind(1, row).step())) return {};
      found.has_record = true;
      found.collection = select.integer(0);
      found.record.id = select.text(1);
      const JsonbView own = select.blob(2);
      own_.assign(own.begin(), own.end());
      checksum = select.integer(3);
      details.use_count = select.integer(4);
      details.created_at = select.integer(5);
      details.updated_at = select.integer(6);
      if (!select.is_null(7)) {
        source = select.integer(7);
        details.key = {"", to_hex(select.blob(8)), select.integer(9)};
      }
    }
    Jsonb shared;
    if (source) {
      Statement select =
          TRY(connection_.prepare("SELECT name, metadata, checksum FROM sources NOT INDEXED WHERE id = ?1"));
      if (!TRY(select.bind(1, *source).step())) return damaged_record(found.record.id, "source");
      details.key->source = select.text(0);
      const JsonbView blob = select.blob(1);
      if (!is_intact(select, 2, source_checksum(details.key->source, blob)))
        return damaged_record(found.record.id, "source");
      shared.assign(blob.begin(), blob.end());
    }
    const std::string_view source_name = details.key ? std::string_view(details.key->source) : "";
    if (checksum != record_checksum(row, found.record.id, source_name, own_))
      return damaged_record(found.record.id, "metadata");
    found.record.metadata = TRY(decode_merged(own_, shared));
    found.record.details = std::move(details);
    return {};
  }

  Status read_vector(std::int64_t row, Salvaged& found) {
    Statement select = TRY(connection_.prepare("SELECT embedding, checksum FROM vectors WHERE row = ?1"));
    if (!TRY(select.bind(1, row).step())) return {};
    const std::span<const std::uint8_t> vector = select.blob(0);
    if (!is_intact(select, 1, blob_checksum(row, vector))) return damaged_record(found.record.id, "vector");
    found.record.embedding = from_blob(vector);
    return {};
  }

  Status read_links(std::int64_t row, Salvaged& found) {
    if (!found.record.details) return {};
    Statement select = TRY(connection_.prepare("SELECT kind, target FROM links WHERE row = ?1 ORDER BY kind, target"));
    select.bind(1, row);
    while (TRY(select.step()))
      found.record.details->links.push_back({std::string(select.text(0)), std::string(select.text(1))});
    return {};
  }

  Connection& connection_;
  Jsonb own_;
};

// Writes what was saved, a batch at a time; a record that the contract refuses is lost and told.
class Target {
 public:
  Target(Backend& backend, const PalaceRef& palace, SalvageReport& report)
      : backend_(backend), palace_(palace), report_(report) {}

  Status open(const CollectionRow& row) {
    const OpenOptions options{.if_missing = IfMissing::create, .metric = row.metric};
    collection_ = TRY(backend_.collection(palace_, row.name, options));
    dimension_ = row.dimension;
    if (!row.model.empty()) TRY(backend_.set_embedder(palace_, row.name, row.model, row.dimension, ModelSwap::refuse));
    return {};
  }

  Status add(Salvaged salvaged) {
    if (salvaged.record.embedding && salvaged.record.embedding->size() != dimension_) {
      salvaged.record.embedding.reset();
      salvaged.is_whole = false;
    }
    if (!check_records(std::span(&salvaged.record, 1)).ok()) {
      salvaged.record.metadata.clear();
      salvaged.record.details.reset();
      salvaged.is_whole = false;
    }
    if (const Status fine = check_records(std::span(&salvaged.record, 1)); !fine.ok()) {
      lose(fine.error().message);
      return {};
    }
    (salvaged.is_whole ? report_.saved : report_.saved_in_part)++;
    batch_.push_back(std::move(salvaged.record));
    return batch_.size() < kBatch ? Status() : flush();
  }

  void lose(std::string why) {
    ++report_.lost;
    if (report_.losses.size() < kShownLosses) report_.losses.push_back(std::move(why));
  }

  Status flush() {
    if (collection_ != nullptr && !batch_.empty()) TRY(collection_->upsert(batch_));
    batch_.clear();
    return {};
  }

 private:
  Backend& backend_;
  const PalaceRef& palace_;
  SalvageReport& report_;
  std::shared_ptr<Collection> collection_;
  std::optional<std::size_t> dimension_;
  std::vector<Record> batch_;
};

}  // namespace

Result<SalvageReport> salvage_palace(Database& damaged, Backend& backend, const PalaceRef& target) {
  return damaged.run([&](Connection& connection) -> Result<SalvageReport> {
    SalvageReport report;
    Target output(backend, target, report);
    const std::vector<CollectionRow> collections = TRY(list_collections(connection));
    Reader reader(connection);
    const std::int64_t last = last_row(connection);
    for (const CollectionRow& collection : collections) {
      TRY(output.open(collection));
      for (std::int64_t row = 1; row <= last; ++row) {
        Salvaged found = reader.read(row);
        // A text whose record is gone goes to the first collection, under a name that says what happened.
        const bool is_orphan = !found.has_record && found.has_text && collection.id == collections.front().id;
        if (!is_orphan && (!found.has_record || found.collection != collection.id)) continue;
        if (is_orphan) found.record.id = "recovered-row-" + std::to_string(row);
        if (!found.has_text) {
          output.lose("the text of record " + in_quotes(found.record.id) + " cannot be read");
          continue;
        }
        found.is_whole = found.is_whole && !is_orphan;
        TRY(output.add(std::move(found)));
      }
      TRY(output.flush());
    }
    return report;
  });
}

}  // namespace loci::embedded
