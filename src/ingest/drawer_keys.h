// The metadata keys of a drawer, named as MemPalace names them, so that its palaces read the same here.
#pragma once

#include <cstddef>
#include <string_view>

namespace loci {

inline constexpr std::string_view kWingKey = "wing";
inline constexpr std::string_view kRoomKey = "room";
inline constexpr std::string_view kSourceKey = "source_file";  // absolute and resolved
inline constexpr std::string_view kFiledAtKey = "filed_at";

// What anybody may put there, and searches ask for.
inline constexpr std::string_view kTagsKey = "tags";    // a list of texts
inline constexpr std::string_view kRoleKey = "role";    // who spoke: user, assistant, …
inline constexpr std::string_view kAgentKey = "agent";  // the program that wrote it

// Where a drawer goes when nobody says where.
inline constexpr std::string_view kDefaultWing = "general";
inline constexpr std::string_view kDefaultRoom = "general";

// Of drawers that were mined.
inline constexpr std::string_view kChunkIndexKey = "chunk_index";  // from 0
inline constexpr std::string_view kLineStartKey = "line_start";    // from 1
inline constexpr std::string_view kLineEndKey = "line_end";        // inclusive
inline constexpr std::string_view kByteStartKey = "byte_start";    // in the text as UTF-8
inline constexpr std::string_view kByteEndKey = "byte_end";
inline constexpr std::string_view kContentDateKey = "content_date";
inline constexpr std::size_t kDateLength = 10;  // "2026-03-09"
inline constexpr std::string_view kContentDateSourceKey = "content_date_source";
inline constexpr std::string_view kIngestModeKey = "ingest_mode";
inline constexpr std::string_view kKindKey = "kind";
inline constexpr std::string_view kLanguageKey = "language";
inline constexpr std::string_view kEditedFromKey = "edited_from";  // the source that it was from until it was rewritten

// Of drawers out of conversations.
inline constexpr std::string_view kSessionIdKey = "session_id";
inline constexpr std::string_view kSpeakerKey = "speaker";
inline constexpr std::string_view kTimestampKey = "timestamp";  // ISO 8601

}  // namespace loci
