#include "search/timed_search.h"

#include <chrono>
#include <utility>

namespace loci {
namespace {

// Adds the time of its own life to a sum.
class Lap {
 public:
  explicit Lap(double& sum_ms) : sum_ms_(sum_ms) {}
  ~Lap() {
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start_;
    sum_ms_ += passed.count();
  }
  Lap(const Lap&) = delete;
  Lap& operator=(const Lap&) = delete;

 private:
  double& sum_ms_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A collection to read from. A search writes nothing; what would is refused here.
class WatchedCollection final : public Collection {
 public:
  WatchedCollection(const Collection& watched, SearchTimes& times) : watched_(watched), times_(times) {}

  Result<QueryResult> query(const QueryRequest& request) const override {
    const Lap lap(times_.vectors_ms);
    return watched_.query(request);
  }
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override {
    const Lap lap(times_.words_ms);
    return watched_.match(request);
  }
  Result<std::vector<Record>> get(const GetRequest& request) const override {
    const Lap lap(times_.fetch_ms);
    return watched_.get(request);
  }
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override {
    const Lap lap(times_.fetch_ms);
    return watched_.scan(request, visit);
  }
  Result<CollectionInfo> info() const override {
    const Lap lap(times_.fetch_ms);
    return watched_.info();
  }
  Result<std::size_t> count() const override {
    const Lap lap(times_.fetch_ms);
    return watched_.count();
  }
  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override {
    const Lap lap(times_.fetch_ms);
    return watched_.count_by(keys);
  }
  Result<std::vector<SourceInfo>> sources(std::string_view prefix) const override {
    const Lap lap(times_.fetch_ms);
    return watched_.sources(prefix);
  }
  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override {
    const Lap lap(times_.fetch_ms);
    return watched_.changes_since(seq, limit);
  }
  Health health() const override { return watched_.health(); }

  Result<std::vector<Written>> add(std::span<const Record>) override { return refusal(); }
  Result<std::vector<Written>> upsert(std::span<const Record>) override { return refusal(); }
  Result<UpdateReport> update(std::span<const RecordUpdate>) override { return refusal(); }
  Result<std::size_t> erase(const Selection&) override { return refusal(); }

 private:
  static Error refusal() { return {ErrorKind::unsupported, "a search does not write"}; }

  const Collection& watched_;
  SearchTimes& times_;
};

class WatchedEmbedder final : public Embedder {
 public:
  WatchedEmbedder(const Embedder& watched, SearchTimes& times) : watched_(watched), times_(times) {}

  std::string model_name() const override { return watched_.model_name(); }
  std::size_t dimension() const override { return watched_.dimension(); }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    const Lap lap(times_.embed_ms);
    return watched_.embed(texts);
  }
  double readable_share(std::string_view text) const override { return watched_.readable_share(text); }

 private:
  const Embedder& watched_;
  SearchTimes& times_;
};

Result<SearchAnswer> watched_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request,
                                    SearchTimes& times) {
  const Lap lap(times.total_ms);
  const WatchedCollection collection(drawers, times);
  if (embedder == nullptr) return hybrid_search(collection, nullptr, request);
  const WatchedEmbedder watched(*embedder, times);
  return hybrid_search(collection, &watched, request);
}

}  // namespace

Result<TimedAnswer> timed_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request) {
  SearchTimes times;
  SearchAnswer answer = TRY(watched_search(drawers, embedder, request, times));
  times.rest_ms = times.total_ms - times.embed_ms - times.words_ms - times.vectors_ms - times.fetch_ms;
  return TimedAnswer{std::move(answer), times};
}

}  // namespace loci
