// A Record: the unit that a Collection keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loci/metadata.h"

namespace loci {

using Embedding = std::vector<float>;

// Where an ingested record comes from. It is unique within a collection: two writers that ingest the same text of
// the same source make one record, whatever ids they proposed. Only ingest sets it.
struct UniqueKey {
  std::string source;           // the source's identity, such as a path or a conversation id
  std::string content_hash;     // SHA-256 of the text, in lower-case hex
  std::int64_t occurrence = 0;  // how many equal texts of that source stand before this one

  friend bool operator==(const UniqueKey&, const UniqueKey&) = default;
};

// A directed, named connection to another record of the same collection, which may not exist (yet).
struct Link {
  std::string kind;
  std::string target_id;

  friend bool operator==(const Link&, const Link&) = default;
};

// What a store keeps of a record beside its content. On a write the key is always taken; links, count and times are
// taken as they are when created_at is given (import does this), and otherwise filled in or left alone by the store.
// A backend that has no room for a part of it leaves that part out.
struct RecordDetails {
  std::optional<UniqueKey> key;
  std::vector<Link> links;      // ordered by kind, then target
  std::int64_t use_count = 0;   // changed by explicit feedback only
  std::int64_t created_at = 0;  // Unix milliseconds
  std::int64_t updated_at = 0;  // Unix milliseconds

  friend bool operator==(const RecordDetails&, const RecordDetails&) = default;
};

struct Record {
  std::string id;             // 1 to 1,024 bytes
  std::string document = {};  // verbatim; valid UTF-8 without NUL, at most 64 MiB
  Metadata metadata = {};
  std::optional<Embedding> embedding = {};  // absent: the record waits for its vector
  std::optional<RecordDetails> details = {};

  friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace loci
