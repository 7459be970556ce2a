#include "ops/compare.h"

#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

#include "ops/migration_record.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kComparedAtOnce = 1'000;
constexpr std::size_t kShown = 100;
constexpr double kLeastCosine = 0.999;

double cosine(const Embedding& a, const Embedding& b) {
  double dot = 0;
  double a_squared = 0;
  double b_squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    a_squared += double{a[i]} * a[i];
    b_squared += double{b[i]} * b[i];
  }
  return dot / std::sqrt(a_squared * b_squared);
}

class Comparison {
 public:
  Comparison(const CompareRequest& request, CompareReport& report) : request_(request), report_(report) {}

  Status compare(const std::string& name, const Collection& source, const Collection& here,
                 const std::function<bool(const CompareReport&)>& is_cancelled) {
    name_ = name;
    std::size_t found = 0;
    std::vector<Record> batch;
    const auto compare_batch = [&]() -> Status {
      found += TRY(compare_with(here, std::exchange(batch, {})));
      if (is_cancelled && is_cancelled(report_)) return Error{ErrorKind::unavailable, "the comparison was interrupted"};
      return ok_status();
    };
    TRY(source.scan({.include = {.distances = false, .embeddings = with_vectors()}}, [&](Record record) -> Status {
      batch.push_back(std::move(record));
      return batch.size() < kComparedAtOnce ? ok_status() : compare_batch();
    }));
    TRY(compare_batch());
    const std::size_t count = TRY(here.count());
    if (count > found) report_.only_here += count - found;
    return ok_status();
  }

  void differ(const std::string& id, std::string what) {
    ++report_.differences;
    if (report_.shown.size() < kShown) report_.shown.push_back({name_, id, std::move(what)});
  }
  void lacks_collection(const std::string& name) {
    name_ = name;
    differ("", "the collection is not here");
  }

 private:
  bool with_vectors() const { return request_.vectors == CompareVectors::compare; }

  // How many of them are here.
  Result<std::size_t> compare_with(const Collection& here, const std::vector<Record>& records) {
    if (records.empty()) return 0;
    std::vector<std::string> ids;
    for (const Record& record : records) ids.push_back(record.id);
    std::unordered_map<std::string, Record> found;
    const GetRequest request{.selection = {.ids = std::move(ids)}, .include = {.embeddings = with_vectors()}};
    for (Record& record : TRY(here.get(request))) {
      std::string id = record.id;
      found.emplace(std::move(id), std::move(record));
    }
    for (const Record& record : records) {
      ++report_.records;
      const auto ours = found.find(record.id);
      const std::string difference = ours == found.end() ? "is not here" : difference_between(record, ours->second);
      if (difference.empty()) {
        ++report_.equal;
      } else {
        differ(record.id, difference);
      }
    }
    return found.size();
  }

  std::string difference_between(const Record& source, const Record& ours) {
    if (source.document != ours.document) return "has another text";
    if (source.metadata != ours.metadata) return "has other metadata";
    if (!with_vectors()) return "";
    if (!source.embedding) {
      ++report_.without_vector;
      return "";  // it may have been given one since
    }
    if (!ours.embedding) return "has no vector";
    if (source.embedding->size() != ours.embedding->size()) return "has a vector of another dimension";
    ++report_.vectors;
    const double similarity = cosine(*source.embedding, *ours.embedding);
    return similarity >= kLeastCosine ? "" : "has another vector (cosine " + std::to_string(similarity) + ")";
  }

  const CompareRequest& request_;
  CompareReport& report_;
  std::string name_;
};

}  // namespace

Result<CompareReport> compare_palaces(Backend& backend, Backend& source, const CompareRequest& request,
                                      const std::function<bool(const CompareReport&)>& is_cancelled) {
  CompareReport report;
  Comparison comparison(request, report);
  for (const CollectionInfo& info : TRY(source.collections(request.source, Access::read_only))) {
    if (info.name == kMigrationsCollection) continue;
    ++report.collections;
    const auto theirs = TRY(source.collection(request.source, info.name, {.access = Access::read_only}));
    const auto ours = backend.collection(request.palace, info.name, {.access = Access::read_only});
    if (!ours.ok() && ours.error().kind == ErrorKind::collection_not_initialized) {
      comparison.lacks_collection(info.name);
      continue;
    }
    if (!ours.ok()) return ours.error();
    TRY(comparison.compare(info.name, *theirs, **ours, is_cancelled));
  }
  return report;
}

}  // namespace loci
