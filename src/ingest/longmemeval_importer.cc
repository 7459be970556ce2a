// LongMemEval: a person's sessions with an assistant, as a haystack for each question. One session, one source; a
// session that is in several haystacks comes once.
#include <set>
#include <string>
#include <utility>

#include "ingest/conversation.h"
#include "ingest/export_json.h"
#include "ingest/importer.h"
#include "text/date_range.h"

namespace loci {
namespace {

using nlohmann::json;

constexpr std::string_view kLongMemEvalMode = "longmemeval";

std::string text_at(const json& list, std::size_t index) {
  return list.is_array() && index < list.size() && list[index].is_string() ? list[index].get<std::string>()
                                                                           : std::string();
}

Conversation session_of(std::string id, const std::string& date, const json& turns) {
  Conversation session{.session_id = std::move(id), .timestamp = written_time(date).value_or(""), .turns = {}};
  for (const json& item : turns) {
    const std::string role = text_in(item, "role");
    session.turns.push_back({.speaker = role, .role = role, .text = text_in(item, "content")});
  }
  return session;
}

std::variant<std::vector<ImportedSource>, PassReason> import_longmemeval(const FoundFile& file, std::string bytes,
                                                                         const ImportContext& context) {
  const std::string text = std::move(bytes);
  const json document = parse_export(text);
  std::vector<ImportedSource> sources;
  std::set<std::string> seen;
  if (!document.is_array()) return PassReason::other_format;
  for (const json& entry : document) {
    const json& sessions = value_in(entry, "haystack_sessions");
    const json& ids = value_in(entry, "haystack_session_ids");
    if (!sessions.is_array()) continue;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      std::string id = text_at(ids, i);
      if (!sessions[i].is_array() || id.empty() || !seen.insert(id).second) continue;
      const Conversation session =
          session_of(std::move(id), text_at(value_in(entry, "haystack_dates"), i), sessions[i]);
      sources.push_back(conversation_source(file, session, kLongMemEvalMode, context));
    }
  }
  if (sources.empty()) return PassReason::other_format;
  return sources;
}

}  // namespace

constexpr Importer kLongMemEvalImporter = {.mode = kLongMemEvalMode, .version = "1", .import = import_longmemeval};

}  // namespace loci
