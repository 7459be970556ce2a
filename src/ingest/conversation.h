// Conversations: from turns to a source. The source is the canonical transcript, a deterministic function of the
// export: one paragraph for each turn, "Speaker: text", so that who spoke is part of what is found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/importer.h"

namespace loci {

struct Turn {
  std::string speaker;    // a name, or the role where nobody has a name
  std::string role = {};  // "user", "assistant"; empty: unknown
  std::string text;
  std::string timestamp = {};  // ISO 8601; empty: that of the conversation
};

struct Conversation {
  std::string session_id;
  std::string timestamp = {};  // ISO 8601; empty: unknown
  std::vector<Turn> turns;
};

// Drawers hold a few turns each: enough that a question and its answer stand together, few enough that one vector can
// say what they are about. A turn that is longer than a drawer is cut where its meaning breaks.
inline constexpr std::size_t kTurnsPerDrawer = 3;

// The source of one conversation of a file. Its drawers carry `session_id`, `timestamp`, and `speaker` and `role` (of
// several, in the order in which they first speak, joined by ", ").
ImportedSource conversation_source(const FoundFile& file, const Conversation& conversation, std::string_view mode,
                                   const ImportContext& context);

// The source's name: the file's and behind "#session=" the session's.
std::string conversation_name(std::string_view file, std::string_view session_id);
// The file that a source is in: the name itself for a source that is a file.
std::string_view file_of_source(std::string_view source);

}  // namespace loci
