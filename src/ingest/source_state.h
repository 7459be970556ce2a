// What mining notes with a file: its stamp, the hash of its bytes, and by which recipe its drawers were made, or why it
// has none. An equal stamp and recipe mean that there is nothing to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/file_stamp.h"
#include "ingest/skip_rules.h"

namespace loci {

struct SourceState {
  FileStamp stamp;
  std::string recipe;        // 16 hex digits
  std::string content_hash;  // SHA-256 of the file's bytes, in hex
  std::optional<PassReason> passed_over = {};
  bool is_asked_for = false;  // taken although the rules, or the usual limits, leave it out

  friend bool operator==(const SourceState&, const SourceState&) = default;
};

// One line of text, which parse_source_state reads; nothing for any other text.
std::string to_text(const SourceState& state);
std::optional<SourceState> parse_source_state(std::string_view text);

// The stamp to note for a file whose bytes were read just now. A file that was written in the last moments may be
// written again within the same tick of the file system's clock, so its stamp is noted as one that no file has.
FileStamp stamp_to_note(FileStamp stamp, std::int64_t now_unix_ms);

}  // namespace loci
