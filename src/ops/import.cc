#include "ops/import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.h"
#include "ops/import_batch.h"
#include "ops/import_conflicts.h"
#include "ops/line_source.h"
#include "ops/record_line.h"
#include "store/contract.h"

namespace loci {
namespace {

// The longest document, each of its bytes written as \u00XX, and room for the rest.
constexpr std::size_t kLongestLineBytes = 6 * kMaxDocumentBytes + (std::size_t{16} << 20);

// Lines of other programs need not have all that a store keeps. With the key alone, the rest is the store's.
void complete_details(RecordLine& line, std::int64_t now) {
  if (!line.named.has_any()) return;
  RecordDetails& details = *line.record.details;
  if (details.created_at == 0) details.created_at = now;
  if (details.updated_at == 0) details.updated_at = details.created_at;
  const auto by_kind_and_target = [](const Link& a, const Link& b) {
    return std::tie(a.kind, a.target_id) < std::tie(b.kind, b.target_id);
  };
  std::sort(details.links.begin(), details.links.end(), by_kind_and_target);
  details.links.erase(std::unique(details.links.begin(), details.links.end()), details.links.end());
}

ImportItem make_item(const SourceLine& line, const ImportRequest& request, std::int64_t now) {
  ImportItem item{.line = line.number};
  if (line.is_too_long) {
    item.refuse("the line is longer than " + std::to_string(kLongestLineBytes >> 20) + " MiB");
    return item;
  }
  Result<RecordLine> content = parse_record_line(line.text);
  if (!content.ok()) {
    item.refuse(content.error().message);
    return item;
  }
  complete_details(*content, now);
  item.collection = content->collection.empty() ? request.default_collection : content->collection;
  item.id = content->record.id;
  item.content = std::move(*content);
  return item;
}

// Counts what became of the items and tells it.
void tell(std::span<const ImportItem> items, ImportReport& report, const ImportObserver& observer) {
  for (const ImportItem& item : items) {
    if (!item.outcome) continue;
    ++report.lines;
    switch (*item.outcome) {
      case ImportOutcome::stored: ++report.stored; break;
      case ImportOutcome::already_there: ++report.already_there; break;
      case ImportOutcome::updated: ++report.updated; break;
      case ImportOutcome::refused: ++report.refused; break;
    }
    if (!observer.line) continue;
    observer.line({.line = item.line,
                   .outcome = *item.outcome,
                   .collection = item.collection,
                   .id = item.id,
                   .stored_id = item.stored_id,
                   .reason = item.reason});
  }
}

bool is_cancelled(const ImportObserver& observer) { return observer.is_cancelled && observer.is_cancelled(); }

Error interrupted() { return {ErrorKind::unavailable, "the import was interrupted"}; }

// The batches before this line are stored.
Error stopped(const Error& error, const ImportReport& report, std::size_t line) {
  return {error.kind, error.message + "; the import stopped before line " + std::to_string(line) + ", " +
                          std::to_string(report.stored + report.updated) +
                          " records are stored; run it again to complete it"};
}

Status store_batch(ImportBatch& batch, ImportReport& report, const ImportObserver& observer) {
  const Status status = batch.store();
  tell(batch.items(), report, observer);
  if (!status.ok()) {
    const auto items = batch.items();
    const auto first = std::find_if(items.begin(), items.end(), [](const ImportItem& item) { return !item.outcome; });
    return stopped(status.error(), report, first == items.end() ? items.back().line + 1 : first->line);
  }
  batch.clear();
  if (observer.progress) observer.progress(report);
  return ok_status();
}

// Reads the input once without storing anything, and goes back to where it was.
Status refuse_conflicts(Backend& backend, const ImportRequest& request, std::istream& input,
                        const ImportObserver& observer) {
  const std::istream::pos_type begin = input.tellg();
  if (begin == std::istream::pos_type(-1)) {
    return Error{ErrorKind::invalid_argument,
                 "stopping at conflicts needs an input that can be read twice; give a file instead of a pipe"};
  }
  const WriteLimits limits = write_limits(backend.info());
  ConflictFinder finder(backend, request);
  LineSource lines(input, kLongestLineBytes);
  while (true) {
    const std::optional<SourceLine> line = TRY(lines.next());
    if (!line) break;
    if (is_cancelled(observer)) return stopped(interrupted(), {}, line->number);
    const ImportItem item = make_item(*line, request, now_unix_ms());
    if (item.outcome || !check_collection_name(item.collection).ok()) continue;
    if (!check_records(std::span(&item.content.record, 1), limits).ok()) continue;
    TRY(finder.add(item.line, item.collection, item.content.record));
  }
  TRY(finder.finish());
  input.clear();
  input.seekg(begin);
  return input.good() ? ok_status() : Error{ErrorKind::io, "cannot read the input a second time"};
}

constexpr std::array<std::pair<std::string_view, OnConflict>, 4> kModes = {{{"skip", OnConflict::skip},
                                                                            {"update", OnConflict::update},
                                                                            {"duplicate", OnConflict::duplicate},
                                                                            {"fail", OnConflict::fail}}};

}  // namespace

std::optional<OnConflict> parse_on_conflict(std::string_view name) {
  for (const auto& [known, mode] : kModes) {
    if (name == known) return mode;
  }
  return std::nullopt;
}

std::string_view to_string(ImportOutcome outcome) {
  switch (outcome) {
    case ImportOutcome::stored: return "stored";
    case ImportOutcome::already_there: return "already_there";
    case ImportOutcome::updated: return "updated";
    case ImportOutcome::refused: return "refused";
  }
  return "refused";
}

Result<ImportReport> import_lines(Backend& backend, const ImportRequest& request, std::istream& input,
                                  const ImportObserver& observer) {
  TRY(check_collection_name(request.default_collection));
  if (request.source_model && request.source_model->empty()) {
    return Error{ErrorKind::invalid_argument, "the name of the source model is empty"};
  }
  if (!input) return Error{ErrorKind::io, "cannot read the input"};
  if (request.on_conflict == OnConflict::fail) TRY(refuse_conflicts(backend, request, input, observer));

  ImportReport report;
  ImportBatch batch(backend, request);
  LineSource lines(input, kLongestLineBytes);
  while (true) {
    const std::optional<SourceLine> line = TRY(lines.next());
    if (line) batch.add(make_item(*line, request, now_unix_ms()), line->text.size());
    if (!line || batch.is_full()) {
      report.bytes = lines.bytes();
      TRY(store_batch(batch, report, observer));
      if (line && is_cancelled(observer)) return stopped(interrupted(), report, line->number + 1);
    }
    if (!line) return report;
  }
}

}  // namespace loci
