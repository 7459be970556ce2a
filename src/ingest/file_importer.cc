// Files as they are, documents by their text: one file, one source.
#include <optional>
#include <utility>

#include "base/clock.h"
#include "document/document_text.h"
#include "ingest/drawer_keys.h"
#include "ingest/importer.h"
#include "ingest/room.h"
#include "text/content_date.h"
#include "text/decode.h"
#include "text/text_type.h"

namespace loci {
namespace {

constexpr std::string_view kFilesMode = "files";
constexpr std::size_t kHeadBytes = 1'024;

std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string relative_to(const std::filesystem::path& root, std::string_view path) {
  const std::string prefix = root.string() + (root.string().ends_with('/') ? "" : "/");
  return std::string(path.starts_with(prefix) ? path.substr(prefix.size()) : file_name_of(path));
}

void add_date(Metadata& shared, const FoundFile& file, std::string_view text) {
  std::string date = to_iso8601(file.stamp.modified_ns / 1'000'000).substr(0, kDateLength);
  std::string_view source = "mtime";
  if (std::optional<ContentDate> said = content_date(file_name_of(file.path), text)) {
    date = std::move(said->date);
    source = to_string(said->source);
  }
  shared.emplace(kContentDateKey, std::move(date));
  shared.emplace(kContentDateSourceKey, std::string(source));
}

// The text of a file, and what it is.
struct ReadText {
  std::string text;
  std::string kind;
  TextType type;  // how it is cut
  std::size_t replaced_nuls = 0;
};

bool says_text(std::string_view file_name) {
  return file_name.ends_with(".txt") || file_name.ends_with(".log") ||
         detect_text_type(file_name, {}).kind != TextKind::plain;
}

std::variant<ReadText, PassReason> read_document(DocumentKind kind, std::string_view bytes) {
  Result<std::string> text = document_text(kind, bytes);
  if (text.ok() && text->find_first_not_of(" \f\n\r\t") == std::string::npos) return PassReason::no_text;
  if (text.ok()) return ReadText{std::move(*text), std::string(to_string(kind)), {}, 0};
  if (text.error().kind == ErrorKind::unavailable) return PassReason::no_reader;
  return text.error().kind == ErrorKind::invalid_argument ? PassReason::too_large : PassReason::damaged;
}

std::variant<ReadText, PassReason> read_text(std::string_view file_name, std::string bytes) {
  if (const std::optional<DocumentKind> kind = document_kind(file_name)) return read_document(*kind, bytes);
  std::optional<Decoded> decoded = decode_text(std::move(bytes));
  if (!decoded) return says_text(file_name) ? PassReason::not_text : PassReason::binary;
  if (is_minified(file_name, decoded->text)) return PassReason::minified;
  const TextType type = detect_text_type(file_name, std::string_view(decoded->text).substr(0, kHeadBytes));
  return ReadText{std::move(decoded->text), std::string(to_string(type.kind)), type, decoded->replaced_nuls};
}

std::variant<std::vector<ImportedSource>, PassReason> import_file(const FoundFile& file, std::string bytes,
                                                                  const ImportContext& context) {
  const std::variant<ReadText, PassReason> read = read_text(file_name_of(file.path), std::move(bytes));
  if (const auto* reason = std::get_if<PassReason>(&read)) return *reason;
  const auto& [text, kind, type, replaced_nuls] = std::get<ReadText>(read);
  std::string room = room_for(relative_to(context.project_root, file.path), text, context.config.rooms);
  Metadata shared;
  shared.emplace(kWingKey, context.wing);
  shared.emplace(kRoomKey, room);
  shared.emplace(kIngestModeKey, std::string(kFilesMode));
  shared.emplace(kKindKey, kind);
  if (!type.language.empty()) shared.emplace(kLanguageKey, std::string(type.language));
  add_date(shared, file, text);
  std::vector<ImportedSource> sources;
  sources.push_back(
      {make_source_update(file.path, text, chunk_text(text, type, context.chunks), std::move(shared), context.filed_at),
       std::move(room), replaced_nuls});
  return sources;
}

}  // namespace

// The version goes up when chunks, rooms, dates or decoding change.
constexpr Importer kFileImporter = {.mode = kFilesMode, .version = "3", .import = import_file};

}  // namespace loci
