#include <algorithm>
#include <cmath>
#include <variant>

#include "ops/json_text.h"
#include "ops/record_line.h"
#include "store/contract.h"

namespace loci {
namespace {

Status check_numbers(const Record& record) {
  for (const auto& [key, value] : record.metadata) {
    if (!has_json_form(value)) {
      return Error{ErrorKind::corruption, "record " + in_quotes(record.id) + " has a number under " + in_quotes(key) +
                                              " that is not finite; update or delete it, then export again"};
    }
  }
  if (record.embedding && !std::all_of(record.embedding->begin(), record.embedding->end(),
                                       [](float value) { return std::isfinite(value); })) {
    return Error{ErrorKind::corruption,
                 "the vector of record " + in_quotes(record.id) +
                     " has a number that is not finite; embed or delete the record, then export again"};
  }
  return ok_status();
}

// Writes the members of an object, with commas between them.
class MemberWriter {
 public:
  explicit MemberWriter(std::string& out) : out_(out) { out_ += '{'; }
  ~MemberWriter() { out_ += '}'; }
  MemberWriter(const MemberWriter&) = delete;
  MemberWriter& operator=(const MemberWriter&) = delete;

  // The value is appended by the caller, to what this returns.
  std::string& name(std::string_view name) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    append_json_string(out_, name);
    out_ += ':';
    return out_;
  }
  void string(std::string_view key, std::string_view value) { append_json_string(name(key), value); }
  void integer(std::string_view key, std::int64_t value) { append_json_integer(name(key), value); }

 private:
  std::string& out_;
  bool is_first_ = true;
};

void write_key(std::string& out, const UniqueKey& key) {
  MemberWriter members(out);
  members.string("source", key.source);
  members.string("content_hash", key.content_hash);
  members.integer("occurrence", key.occurrence);
}

void write_links(std::string& out, const std::vector<Link>& links) {
  out += '[';
  for (const Link& link : links) {
    if (&link != &links.front()) out += ',';
    MemberWriter members(out);
    members.string("kind", link.kind);
    members.string("target_id", link.target_id);
  }
  out += ']';
}

void write_loci(std::string& out, const CollectionInfo& collection, const Record& record, ExportVectors vectors) {
  MemberWriter members(out);
  if (record.details) {
    const RecordDetails& details = *record.details;
    if (details.key) write_key(members.name("key"), *details.key);
    if (!details.links.empty()) write_links(members.name("links"), details.links);
    members.integer("use_count", details.use_count);
    // 0: the backend keeps no times.
    if (details.created_at != 0) members.integer("created_at", details.created_at);
    if (details.updated_at != 0) members.integer("updated_at", details.updated_at);
  }
  members.string("metric", to_string(collection.metric));
  if (vectors == ExportVectors::include && !collection.model.empty()) {
    members.string("model", collection.model);
    if (collection.dimension) members.integer("dimension", static_cast<std::int64_t>(*collection.dimension));
  }
}

}  // namespace

Status append_record_line(std::string& out, const CollectionInfo& collection, const Record& record,
                          ExportVectors vectors) {
  TRY(check_numbers(record));
  {
    MemberWriter members(out);
    members.string("collection", collection.name);
    members.string("id", record.id);
    members.string("document", record.document);
    append_json_metadata(members.name("metadata"), record.metadata);
    if (vectors == ExportVectors::include && record.embedding)
      append_json_vector(members.name("embedding"), *record.embedding);
    write_loci(members.name("loci"), collection, record, vectors);
  }
  out += '\n';
  return ok_status();
}

}  // namespace loci
