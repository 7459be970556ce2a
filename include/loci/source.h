// A source is the file or conversation that ingested records come from. A store that keeps sources takes the whole of
// one at a time, as it is now, and finds out by itself what is new, what moved and what is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loci/metadata.h"

namespace loci {

// A source as a store lists it.
struct SourceInfo {
  std::string name;         // the source of its records' unique keys
  std::string state;        // what was noted with it to tell later whether it changed; the store does not read it
  bool has_erased = false;  // a user erased records of it, which are held back

  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

// One record of a source as the source is now. Its unique key is the source's name, the hash and the occurrence.
struct SourceRecord {
  std::string id;  // of a new record; with a number behind it when another record has that id
  std::string document;
  std::string content_hash;     // SHA-256 of the document, in lower-case hex
  std::int64_t occurrence = 0;  // how many equal texts of the source stand before this one
  Metadata position;            // where it stands: the metadata that change when other parts of the source do
  bool is_erased = false;       // unless it is there: what a user erased, cut differently; from now on it is held back
};

// A source as it is now. Records that the store has under the same key keep their id, text, vector, links and counts;
// of their metadata only `position` and those pairs of the source that the record had not overridden change. What the
// store has and the update has not is removed; what a user erased stays away until its text is gone from the source,
// also when the source was erased and comes back.
struct SourceUpdate {
  std::string name;
  std::optional<std::string> renamed_from = {};  // the source had this name until now; its records go along
  std::string state = {};        // when the store has this very state for the name already, nothing is to do
  Metadata shared = {};          // what all records of the source have in common
  Metadata for_new = {};         // besides, for records that are new; those that are there keep what they have
  bool restores_erased = false;  // what a user erased comes back, whatever the state
  std::vector<SourceRecord> records = {};  // all of them
};

// What became of one update.
struct SourceReport {
  std::size_t stored = 0;     // new records
  std::size_t moved = 0;      // only their metadata changed
  std::size_t unchanged = 0;  // as they were
  std::size_t removed = 0;    // gone from the source
  std::size_t held_back = 0;  // erased by a user before, and therefore not stored again

  friend bool operator==(const SourceReport&, const SourceReport&) = default;
};

}  // namespace loci
