#include "store/embedded/salvage_reader.h"

#include <string>

#include "base/sha256.h"
#include "base/utf8.h"
#include "store/embedded/checksum.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {

SalvagedRow SalvageReader::read(std::int64_t row, const RowIdentity* identity) {
  SalvagedRow found;
  should_have_vector_ = false;
  read_text(row, found);
  const bool has_record = read_identity(row, found).ok() && found.collection;
  if (!has_record && identity != nullptr) {
    found.collection = identity->collection;
    found.record.id = identity->id;
  }
  if (!found.collection) found.lost.emplace_back("id");
  if (!has_record || !read_metadata(row, found).ok()) found.lost.emplace_back("metadata");
  if (!read_vector(row, found).ok() || (should_have_vector_ && !found.record.embedding))
    found.lost.emplace_back("vector");
  if (has_record && !read_links(row, found).ok()) found.lost.emplace_back("links");
  return found;
}

void SalvageReader::read_text(std::int64_t row, SalvagedRow& found) {
  Result<Statement> select = connection_.prepare("SELECT text, checksum FROM documents WHERE row = ?1");
  if (!select.ok()) return;
  const Result<bool> there = select->bind(1, row).step();
  if (!there.ok() || !*there) return;
  const std::string_view text = select->text(0);
  found.has_text = is_intact(*select, 1, text_checksum(row, text)) && is_valid_utf8(text);
  if (found.has_text) found.record.document = text;
}

// Apart from the rest of the record, which may go on in a page that is lost.
Status SalvageReader::read_identity(std::int64_t row, SalvagedRow& found) {
  Statement select =
      TRY(connection_.prepare("SELECT collection, id, embedded FROM records NOT INDEXED WHERE row = ?1"));
  if (!TRY(select.bind(1, row).step())) return {};
  found.collection = select.integer(0);
  found.record.id = select.text(1);
  should_have_vector_ = select.integer(2) == 1;
  return {};
}

Status SalvageReader::read_metadata(std::int64_t row, SalvagedRow& found) {
  RecordDetails details;
  std::optional<std::int64_t> source;
  std::int64_t checksum = 0;
  {
    Statement select =
        TRY(connection_.prepare("SELECT metadata, checksum, use_count, created_at, updated_at, source, content_hash, "
                                "occurrence FROM records NOT INDEXED WHERE row = ?1"));
    if (!TRY(select.bind(1, row).step())) return damaged_record(found.record.id, "metadata");
    const JsonbView own = select.blob(0);
    own_.assign(own.begin(), own.end());
    checksum = select.integer(1);
    details.use_count = select.integer(2);
    details.created_at = select.integer(3);
    details.updated_at = select.integer(4);
    if (!select.is_null(5)) {
      source = select.integer(5);
      details.key = {"", to_hex(select.blob(6)), select.integer(7)};
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

Status SalvageReader::read_vector(std::int64_t row, SalvagedRow& found) {
  Statement select = TRY(connection_.prepare("SELECT embedding, checksum FROM vectors WHERE row = ?1"));
  if (!TRY(select.bind(1, row).step())) return {};
  const std::span<const std::uint8_t> vector = select.blob(0);
  if (!is_intact(select, 1, blob_checksum(row, vector))) return damaged_record(found.record.id, "vector");
  found.record.embedding = from_blob(vector);
  return {};
}

Status SalvageReader::read_links(std::int64_t row, SalvagedRow& found) {
  if (!found.record.details) return {};
  Statement select = TRY(connection_.prepare("SELECT kind, target FROM links WHERE row = ?1 ORDER BY kind, target"));
  select.bind(1, row);
  while (TRY(select.step()))
    found.record.details->links.push_back({std::string(select.text(0)), std::string(select.text(1))});
  return {};
}

}  // namespace loci::embedded
