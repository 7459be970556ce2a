#include "ops/export.h"

#include <memory>
#include <utility>
#include <vector>

#include "ops/record_line.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;  // lines are handed on in pieces of about this size

// Gathers lines, so that the sink is not called for each.
class LineBuffer {
 public:
  LineBuffer(const LineSink& sink, ExportReport& report) : sink_(sink), report_(report) {}

  std::string& text() { return text_; }
  bool is_full() const { return text_.size() >= kChunkBytes; }

  Status flush() {
    if (text_.empty()) return ok_status();
    report_.bytes += text_.size();
    TRY(sink_(text_));
    text_.clear();
    return ok_status();
  }

 private:
  const LineSink& sink_;
  ExportReport& report_;
  std::string text_;
};

struct OpenCollection {
  CollectionInfo info;
  std::shared_ptr<Collection> handle;
};

// Opened without an embedder: the model that made the vectors need not be at hand to export them.
Result<std::vector<OpenCollection>> open_collections(Backend& backend, const ExportRequest& request) {
  std::vector<OpenCollection> opened;
  const OpenOptions options{.access = request.access};
  std::vector<CollectionInfo> infos = TRY(backend.collections(request.palace, request.access));
  for (CollectionInfo& info : infos) {
    if (request.collection && info.name != *request.collection) continue;
    std::shared_ptr<Collection> handle = TRY(backend.collection(request.palace, info.name, options));
    opened.push_back({.info = std::move(info), .handle = std::move(handle)});
  }
  if (request.collection && opened.empty()) {
    return Error{ErrorKind::collection_not_initialized,
                 "the palace has no collection " + in_quotes(*request.collection)};
  }
  return opened;
}

}  // namespace

Result<ExportReport> export_lines(Backend& backend, const ExportRequest& request, const LineSink& sink,
                                  const ExportObserver& observer) {
  const std::vector<OpenCollection> collections = TRY(open_collections(backend, request));
  ExportProgress progress;
  for (const OpenCollection& collection : collections) progress.total += TRY(collection.handle->count());

  ExportReport report;
  LineBuffer buffer(sink, report);
  const GetRequest all{.include = {.embeddings = request.vectors == ExportVectors::include, .details = true}};
  for (const OpenCollection& collection : collections) {
    ++report.collections;
    progress.collection = collection.info.name;
    const auto visit = [&](const Record& record) -> Status {
      TRY(append_record_line(buffer.text(), collection.info, record, request.vectors));
      ++report.records;
      if (request.vectors == ExportVectors::include && !record.embedding) ++report.without_vector;
      if (!buffer.is_full()) return ok_status();
      TRY(buffer.flush());
      progress.records = report.records;
      if (observer) observer(progress);
      return ok_status();
    };
    TRY(collection.handle->scan(all, visit));
  }
  TRY(buffer.flush());
  progress.records = report.records;
  if (observer) observer(progress);
  return report;
}

}  // namespace loci
