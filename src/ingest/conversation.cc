#include "ingest/conversation.h"

#include <algorithm>
#include <utility>

#include "ingest/drawer_keys.h"
#include "text/text_type.h"

namespace loci {
namespace {

constexpr std::string_view kSessionMark = "#session=";
constexpr std::string_view kConversationKind = "conversation";

// Some turns of a transcript as bytes of it.
struct Span {
  std::size_t start;
  std::size_t end;
  std::size_t first_turn;
  std::size_t turns;
};

std::string paragraph_of(const Turn& turn) {
  std::string paragraph = turn.speaker + ": " + turn.text;
  while (!paragraph.empty() && (paragraph.back() == '\n' || paragraph.back() == ' ')) paragraph.pop_back();
  return paragraph + "\n";
}

// Turns are put together up to their number in a drawer and to its size.
std::vector<Span> windows_of(const std::vector<std::size_t>& ends, std::size_t most_bytes) {
  std::vector<Span> windows;
  std::size_t start = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const bool has_room =
        !windows.empty() && windows.back().turns < kTurnsPerDrawer && ends[i] - windows.back().start <= most_bytes;
    if (has_room) {
      windows.back().end = ends[i];
      ++windows.back().turns;
    } else {
      windows.push_back({start, ends[i], i, 1});
    }
    start = ends[i];
  }
  return windows;
}

// The different values of a window, in their order.
std::string joined(const std::vector<Turn>& turns, const Span& window, std::string Turn::*member) {
  std::vector<std::string> values;
  for (std::size_t i = window.first_turn; i < window.first_turn + window.turns; ++i) {
    const std::string& value = turns[i].*member;
    if (!value.empty() && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

Metadata facts_of(const Conversation& conversation, const Span& window) {
  Metadata facts;
  const std::string& own_time = conversation.turns[window.first_turn].timestamp;
  const std::string& timestamp = own_time.empty() ? conversation.timestamp : own_time;
  const auto add = [&facts](std::string_view key, std::string value) {
    if (!value.empty()) facts.emplace(key, std::move(value));
  };
  add(kSpeakerKey, joined(conversation.turns, window, &Turn::speaker));
  add(kRoleKey, joined(conversation.turns, window, &Turn::role));
  add(kTimestampKey, timestamp);
  add(kContentDateKey, timestamp.substr(0, kDateLength));
  return facts;
}

Metadata shared_by_all(const Conversation& conversation, std::string_view mode, const ImportContext& context) {
  Metadata shared;
  shared.emplace(kWingKey, context.wing);
  shared.emplace(kRoomKey, std::string(kDefaultRoom));
  shared.emplace(kIngestModeKey, std::string(mode));
  shared.emplace(kKindKey, std::string(kConversationKind));
  shared.emplace(kSessionIdKey, conversation.session_id);
  if (!conversation.timestamp.empty()) shared.emplace(kContentDateSourceKey, std::string("transcript"));
  return shared;
}

}  // namespace

ImportedSource conversation_source(const FoundFile& file, const Conversation& conversation, std::string_view mode,
                                   const ImportContext& context) {
  std::string text;
  std::vector<std::size_t> ends;
  for (const Turn& turn : conversation.turns) {
    text += paragraph_of(turn);
    ends.push_back(text.size());
  }
  const TextType plain = detect_text_type("transcript.txt", {});
  std::vector<Chunk> chunks;
  std::vector<Metadata> facts;
  std::size_t line = 1;
  for (const Span& window : windows_of(ends, context.chunks.target_characters * 3 / 2)) {
    const std::string_view part = std::string_view(text).substr(window.start, window.end - window.start);
    for (Chunk chunk : chunk_text(part, plain, context.chunks)) {
      chunk.byte_start += window.start;
      chunk.byte_end += window.start;
      chunk.line_start += line - 1;
      chunk.line_end += line - 1;
      chunks.push_back(chunk);
      facts.push_back(facts_of(conversation, window));
    }
    line += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
  }
  SourceUpdate update = make_source_update(conversation_name(file.path, conversation.session_id), text, chunks,
                                           shared_by_all(conversation, mode, context), context.filed_at);
  for (std::size_t i = 0; i < update.records.size(); ++i) update.records[i].position.merge(facts[i]);
  return {std::move(update), std::string(kDefaultRoom)};
}

std::string conversation_name(std::string_view file, std::string_view session_id) {
  return std::string(file) + std::string(kSessionMark) + std::string(session_id);
}

std::string_view file_of_source(std::string_view source) {
  const std::size_t mark = source.rfind(kSessionMark);
  return mark == std::string_view::npos ? source : source.substr(0, mark);
}

}  // namespace loci
