#include "ingest/source_reader.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/process_memory.h"
#include "base/sha256.h"
#include "ingest/drawer_keys.h"
#include "ingest/read_source.h"

namespace loci {
namespace {

// Of memory. A file that may take more is read when all others are written, and written before the next is read.
constexpr std::size_t kQueueBytes = std::size_t{16} << 20;
constexpr std::size_t kItemBytes = 2'000;    // of an item beside its records, so that many empty files are bounded too
constexpr std::size_t kRecordBytes = 1'000;  // of a record beside its text: its id, hash and position
constexpr std::size_t kBytesOfAByte = 3;     // that reading takes: of a file, as text, and in records

std::size_t bytes_of(const ReadFile& file) {
  std::size_t bytes = kItemBytes + file.text_bytes;
  for (const ImportedSource& source : file.sources) bytes += source.update.records.size() * kRecordBytes;
  return bytes;
}

using ByteRange = std::pair<std::int64_t, std::int64_t>;

ByteRange byte_range(const Metadata& metadata) {
  const auto number = [&](std::string_view key) -> std::int64_t {
    const auto found = metadata.find(std::string(key));
    const auto* value = found == metadata.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return value == nullptr ? 0 : *value;
  };
  return {number(kByteStartKey), number(kByteEndKey)};
}

// Ranges that touch become one.
std::vector<ByteRange> join_ranges(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<ByteRange> joined;
  for (const ByteRange& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, range.second);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace

SourceReader::SourceReader(Work work) : work_(std::move(work)), queue_(kQueueBytes), thread_([this] { run(); }) {}

Status SourceReader::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
  return failure_;
}

void SourceReader::run() {
  // The bottom of a thread: what would leave it would end the program.
  try {
    failure_ = read_all();
  } catch (const std::exception& error) {
    failure_ = Error{ErrorKind::io, std::string("reading stopped: ") + error.what()};
  }
  queue_.close();
}

Status SourceReader::read_all() {
  for (const FileToRead& planned : work_.files) {
    const std::size_t weight = kItemBytes + planned.file.stamp.size_bytes * kBytesOfAByte;
    if (!queue_.wait_for_room(weight)) return {};
    // What the allocator keeps of the large file before would be there beside this one, and what reading took beside
    // what writing takes.
    const bool is_large = weight > kQueueBytes;
    if (is_large) give_back_free_memory();
    ReadFile file = TRY(read(planned));
    if (is_large) give_back_free_memory();
    const std::size_t bytes = bytes_of(file);
    if (!queue_.push(std::move(file), bytes)) return {};
  }
  return {};
}

// Of the same text, cut anew: the drawers that are there cover all but what a user deleted, so whatever reaches beyond
// them brings some of that back.
Status SourceReader::mark_erased(SourceUpdate& update) const {
  const Filter where =
      Filter::of({.key = std::string(kSourceKey), .op = FilterOperator::eq, .operands = {update.name}});
  std::vector<ByteRange> ranges;
  for (const Record& record : TRY(work_.drawers->get(
           {.selection = {.where = where}, .include = {.documents = false, .metadatas = true, .details = true}}))) {
    if (record.details && record.details->key && record.details->key->source == update.name)
      ranges.push_back(byte_range(record.metadata));
  }
  const std::vector<ByteRange> there = join_ranges(std::move(ranges));
  for (SourceRecord& record : update.records) {
    const ByteRange range = byte_range(record.position);
    record.is_erased = std::none_of(there.begin(), there.end(), [&](const ByteRange& one) {
      return one.first <= range.first && range.second <= one.second;
    });
  }
  return {};
}

Status SourceReader::find_name_before(SourceUpdate& update, const FileStamp& stamp, const std::string& content_hash) {
  update.renamed_from = work_.gone.take(stamp, content_hash);
  if (!update.renamed_from) update.renamed_from = TRY(work_.gone.take_alike(work_.drawers, update.records));
  return {};
}

Result<ReadFile> SourceReader::read(const FileToRead& planned) {
  ReadFile result{.bytes = planned.file.stamp.size_bytes, .scope = planned.scope, .is_known = planned.is_known};
  const Recipe& recipe = work_.recipes[planned.scope];
  const std::int64_t began_at = now_unix_ms();
  std::variant<FileBytes, PassedOver> content = read_source(planned.file.path, work_.max_file_bytes);
  if (auto* passed = std::get_if<PassedOver>(&content)) {
    result.passed_over = std::move(*passed);
    return result;
  }
  auto& [bytes, stamp] = std::get<FileBytes>(content);
  SourceState state{stamp_to_note(stamp, began_at), recipe.hash, to_hex(sha256(bytes))};
  result.is_same = planned.hash_before == state.content_hash;
  state.is_asked_for = planned.file.is_asked_for || stamp.size_bytes > kUsualFileBytes;
  auto imported = recipe.importer.import({planned.file.path, stamp}, std::move(bytes), recipe.context);
  if (const auto* reason = std::get_if<PassReason>(&imported)) {
    result.passed_over = PassedOver{*reason, planned.file.path, std::string(advice_on(*reason))};
    if (!is_lasting(*reason)) return result;
    state.passed_over = *reason;
    result.sources.push_back({{.name = planned.file.path}, {}});
  } else {
    result.sources = std::get<std::vector<ImportedSource>>(std::move(imported));
  }
  const bool is_cut_anew = planned.before && planned.before->content_hash == state.content_hash &&
                           planned.before->recipe != state.recipe && !planned.before->passed_over;
  for (ImportedSource& source : result.sources) {
    source.update.state = to_text(state);
    source.update.restores_erased = work_.deleted == Deleted::restore;
    if (is_cut_anew) TRY(mark_erased(source.update));
    for (const SourceRecord& record : source.update.records) result.text_bytes += record.document.size();
  }
  // Taken only now: a file that is passed over is nobody's new name.
  if (!planned.is_known && !result.passed_over && result.sources.size() == 1)
    TRY(find_name_before(result.sources.front().update, stamp, state.content_hash));
  return result;
}

}  // namespace loci
