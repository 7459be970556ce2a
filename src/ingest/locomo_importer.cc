// LoCoMo: long conversations of two people over many sessions. One session, one source.
#include <string>
#include <utility>

#include "ingest/conversation.h"
#include "ingest/export_json.h"
#include "ingest/importer.h"
#include "text/date_range.h"

namespace loci {
namespace {

using nlohmann::json;

constexpr std::string_view kLocomoMode = "locomo";

Turn turn_of(const json& item) {
  Turn turn{.speaker = text_in(item, "speaker"), .text = text_in(item, "text")};
  // What a picture shows is part of what was shared.
  const std::string caption = text_in(item, "blip_caption");
  if (!caption.empty()) turn.text += (turn.text.empty() ? "[photo: " : " [photo: ") + caption + "]";
  return turn;
}

// Sessions are numbered from 1 up to the first number that is missing.
void add_sessions(const json& sample, const FoundFile& file, const ImportContext& context,
                  std::vector<ImportedSource>& sources) {
  const json& conversation = value_in(sample, "conversation");
  const std::string sample_id = text_in(sample, "sample_id");
  for (std::size_t number = 1;; ++number) {
    const std::string name = "session_" + std::to_string(number);
    const json& turns = value_in(conversation, name);
    if (!turns.is_array()) return;
    Conversation session{.session_id = (sample_id.empty() ? "" : sample_id + "/") + name,
                         .timestamp = written_time(text_in(conversation, name + "_date_time")).value_or(""),
                         .turns = {}};
    for (const json& item : turns) session.turns.push_back(turn_of(item));
    sources.push_back(conversation_source(file, session, kLocomoMode, context));
  }
}

std::variant<std::vector<ImportedSource>, PassReason> import_locomo(const FoundFile& file, std::string bytes,
                                                                    const ImportContext& context) {
  const std::string text = std::move(bytes);
  const json document = parse_export(text);
  std::vector<ImportedSource> sources;
  if (document.is_array()) {
    for (const json& sample : document) add_sessions(sample, file, context, sources);
  } else {
    add_sessions(document, file, context, sources);
  }
  if (sources.empty()) return PassReason::other_format;
  return sources;
}

}  // namespace

constexpr Importer kLocomoImporter = {.mode = kLocomoMode, .version = "1", .import = import_locomo};

}  // namespace loci
