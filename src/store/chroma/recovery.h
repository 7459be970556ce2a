// Bringing out every vector that a Chroma folder holds, and saying which records have none.
//
// The index knows its records up to its frontier; the queue has what came later. So: the labels of the index, the slots
// that carry them (whatever their marks of deletion say: an interrupted persist may be ahead of the labels), and then
// the queue replayed on top (record_history.h). A record whose last write the index has not seen, and whose row in the
// queue is gone, has a vector of an older text: a stale one, which is none. Where two vectors may be a record's and
// nothing tells which, it has none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/segment_folder.h"

namespace loci::chroma {

// Where a vector lies.
struct VectorPlace {
  enum class Kind : std::uint8_t { nowhere, slot, queue };
  Kind kind = Kind::nowhere;
  std::uint32_t segment = 0;  // in Recovered::segments
  std::int64_t at = 0;        // the slot, or the sequence number

  friend bool operator==(const VectorPlace&, const VectorPlace&) = default;
};

struct RecoveredRecord {
  std::int64_t row = 0;  // embeddings.id
  std::int64_t seq = 0;  // of its last write
  std::string id;
  VectorPlace place;
};

enum class Copies { ignored, used };  // <segment>.drift-… and its kin

// What is still in a copy.
struct CopyContents {
  std::string name;
  std::size_t held = 0;        // vectors with an id
  std::size_t of_records = 0;  // of them, those whose record is still there
  std::size_t only_here = 0;   // of records that have no vector elsewhere
  std::size_t doubtful = 0;    // likewise, but perhaps of an older text, and so not used
};

struct Recovered {
  std::vector<std::shared_ptr<const SegmentFolder>> segments;  // the index, when it is there, then the copies used
  bool has_index = false;                                      // segments[0] is it
  std::vector<RecoveredRecord> records;                        // in the order of their rows
  std::unordered_map<std::string_view, std::size_t> by_id;     // into records
  std::optional<std::size_t> dimension;                        // of the vectors, whatever the database says of it
  std::int64_t frontier = 0;

  std::size_t vectors = 0;
  std::size_t missing = 0;  // records without a vector, the stale ones not counted
  std::size_t stale = 0;
  std::size_t ghosts = 0;            // in the index, but no record any more
  std::size_t unassigned = 0;        // live slots that cannot be given to a record
  std::size_t in_copies = 0;         // of the records without a vector: how many a copy has
  std::vector<CopyContents> copies;  // newest first
  bool is_by_rank = false;           // the labels were lost, and found again by the order of rows
  bool is_queue_purged = false;      // the queue no longer begins where the collection began

  // Of a record with that id; nowhere when there is none.
  VectorPlace place_of(std::string_view id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? VectorPlace() : records[found->second].place;
  }
};

Result<Recovered> recover(Connection& connection, const std::filesystem::path& folder, const CollectionRow& collection,
                          Copies copies = Copies::ignored);

// What the database knows about the index of a collection.
ExpectedIndex expected_index(const CollectionRow& collection);

// The vector of a record; nothing when it has none.
Result<std::optional<Embedding>> vector_at(Connection& connection, const Recovered& recovered,
                                           const VectorPlace& place);

}  // namespace loci::chroma
