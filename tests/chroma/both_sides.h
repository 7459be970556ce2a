// Random histories of one collection, written in turns by Chroma and by Loci, and what must be in it after each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "tests/chroma/real_server.h"

namespace loci::chroma_tests {

inline constexpr DistanceMetric kMetrics[] = {DistanceMetric::l2, DistanceMetric::cosine, DistanceMetric::ip};

// For one thread.
class RandomRecords {
 public:
  explicit RandomRecords(std::uint64_t seed, std::size_t dimension = 6) : random_(seed), dimension_(dimension) {}

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  // One of `names` ids.
  Record record(std::size_t names) {
    Record record{.id = "id-" + std::to_string(below(names))};
    record.document = "text " + std::to_string(below(1'000'000)) + (below(4) == 0 ? " äöü 漢字 🏛" : "");
    if (below(2) == 0) record.metadata.emplace("number", static_cast<std::int64_t>(below(1'000)));
    if (below(2) == 0) record.metadata.emplace("real", static_cast<double>(below(1'000)) + 0.5);
    if (below(2) == 0) record.metadata.emplace("flag", below(2) == 0);
    if (below(2) == 0) record.metadata.emplace("text", "value \"" + std::to_string(below(1'000)) + "\"\n");
    record.embedding = vector();
    return record;
  }
  // Of different ids.
  std::vector<Record> batch(std::size_t size, std::size_t names) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < size; ++i) {
      Record made = record(names);
      const bool is_new =
          std::none_of(records.begin(), records.end(), [&](const Record& each) { return each.id == made.id; });
      if (is_new) records.push_back(std::move(made));
    }
    return records;
  }
  Embedding vector() {
    Embedding vector(dimension_);
    for (float& value : vector) value = std::uniform_real_distribution<float>(-2, 2)(random_);
    return vector;
  }
  std::vector<std::string> some_ids(const Expected& of, std::size_t most) {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < most && !of.empty(); ++i)
      ids.push_back(std::next(of.begin(), static_cast<std::ptrdiff_t>(below(of.size())))->first);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

 private:
  std::mt19937_64 random_;
  const std::size_t dimension_;
};

// One random operation by Chroma; `expected` follows.
inline void write_with_chroma(const RealServer& server, const ServerCollection& collection, RandomRecords& random,
                              Expected& expected, std::size_t size, std::size_t names) {
  const std::string path = "collections/" + collection.id + "/";
  const auto merge = [&](const Record& record) {  // Chroma keeps the keys that a write does not name
    Record& there = expected[record.id];
    Record merged = record;
    merged.metadata.insert(there.metadata.begin(), there.metadata.end());
    there = std::move(merged);
  };
  const std::vector<Record> records = random.batch(1 + random.below(size), names);
  switch (random.below(4)) {
    case 0:
      server.call("POST", path + "add", request_body(records));
      for (const Record& record : records) expected.emplace(record.id, record);
      break;
    case 1:
      server.call("POST", path + "update", request_body(records));
      for (const Record& record : records) {
        if (expected.contains(record.id)) merge(record);
      }
      break;
    case 2: {
      const std::vector<std::string> ids = random.some_ids(expected, 1 + random.below(1 + size / 2));
      if (ids.empty()) break;
      server.call("POST", path + "delete", {{"ids", ids}});
      for (const std::string& id : ids) expected.erase(id);
      break;
    }
    default:
      server.call("POST", path + "upsert", request_body(records));
      for (const Record& record : records) merge(record);
      break;
  }
}

// One random operation by Loci; throws when it is refused.
inline void write_with_loci(Collection& collection, RandomRecords& random, Expected& expected, std::size_t size,
                            std::size_t names) {
  const auto check = [](const auto& answer) {
    if (!answer.ok()) throw std::runtime_error("Loci: " + answer.error().message);
  };
  std::vector<Record> records = random.batch(1 + random.below(size), names);
  switch (random.below(4)) {
    case 0:
      std::erase_if(records, [&](const Record& record) { return expected.contains(record.id); });
      if (records.empty()) break;
      check(collection.add(records));
      for (const Record& record : records) expected.emplace(record.id, record);
      break;
    case 1: {
      std::vector<RecordUpdate> updates;
      for (const std::string& id : random.some_ids(expected, 1 + random.below(size))) {
        RecordUpdate& update = updates.emplace_back(RecordUpdate{.id = id});
        Record& there = expected[id];
        update.metadata = Metadata{{"updated", static_cast<std::int64_t>(random.below(100))}};
        there.metadata.insert_or_assign("updated", update.metadata->at("updated"));
        if (random.below(2) == 0) there.embedding = update.embedding = random.vector();
      }
      if (!updates.empty()) check(collection.update(updates));
      break;
    }
    case 2: {
      const std::vector<std::string> ids = random.some_ids(expected, 1 + random.below(1 + size / 2));
      if (ids.empty()) break;
      check(collection.erase({.ids = ids}));
      for (const std::string& id : ids) expected.erase(id);
      break;
    }
    default:
      check(collection.upsert(records));
      for (const Record& record : records) expected.insert_or_assign(record.id, record);
      break;
  }
}

// Everything that Loci finds in a collection.
inline Expected read_with_loci(Backend& backend, const std::filesystem::path& folder, const std::string& name) {
  const auto collection = backend.collection(PalaceRef::at(folder), name, {.access = Access::read_only});
  if (!collection.ok()) throw std::runtime_error("Loci: " + collection.error().message);
  auto records = (*collection)->get({.include = {.embeddings = true}});
  if (!records.ok()) throw std::runtime_error("Loci: " + records.error().message);
  Expected found;
  for (Record& record : *records) {
    std::string id = record.id;
    Record plain{.id = record.id,
                 .document = std::move(record.document),
                 .metadata = std::move(record.metadata),
                 .embedding = std::move(record.embedding)};
    found.emplace(std::move(id), std::move(plain));
  }
  return found;
}

}  // namespace loci::chroma_tests
