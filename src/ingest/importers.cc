#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/sha256.h"
#include "ingest/drawer_keys.h"
#include "ingest/importer.h"

namespace loci {
namespace {

constexpr std::size_t kIdDigits = 24;

// Made once from the key and opaque from then on: a source that is renamed keeps the ids of its drawers.
std::string drawer_id(std::string_view source, std::string_view content_hash, std::int64_t occurrence) {
  std::string key(source);
  key += '\0';
  key += content_hash;
  key += '\0';
  key += std::to_string(occurrence);
  return "drawer_" + to_hex(sha256(key)).substr(0, kIdDigits);
}

Metadata position_of(const Chunk& chunk, std::size_t index) {
  const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  return {{std::string(kChunkIndexKey), number(index)},
          {std::string(kLineStartKey), number(chunk.line_start)},
          {std::string(kLineEndKey), number(chunk.line_end)},
          {std::string(kByteStartKey), number(chunk.byte_start)},
          {std::string(kByteEndKey), number(chunk.byte_end)}};
}

}  // namespace

std::span<const Importer* const> importers() {
  static constexpr const Importer* kImporters[] = {&kFileImporter, &kLocomoImporter, &kLongMemEvalImporter};
  return kImporters;
}

const Importer* find_importer(std::string_view mode) {
  const std::span<const Importer* const> all = importers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Importer* one) { return one->mode == mode; });
  return found == all.end() ? nullptr : *found;
}

SourceUpdate make_source_update(std::string name, std::string_view text, std::span<const Chunk> chunks, Metadata shared,
                                std::string_view filed_at) {
  SourceUpdate update{.name = std::move(name), .shared = std::move(shared)};
  update.shared.insert_or_assign(std::string(kSourceKey), update.name);
  update.for_new = {{std::string(kFiledAtKey), std::string(filed_at)}};
  update.records.reserve(chunks.size());
  std::unordered_map<std::string, std::int64_t> occurrences;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::string_view part = text.substr(chunks[i].byte_start, chunks[i].byte_end - chunks[i].byte_start);
    SourceRecord& record = update.records.emplace_back();
    record.document = part;
    record.content_hash = to_hex(sha256(part));
    record.occurrence = occurrences[record.content_hash]++;
    record.id = drawer_id(update.name, record.content_hash, record.occurrence);
    record.position = position_of(chunks[i], i);
  }
  return update;
}

}  // namespace loci
