// What the workers of the crash tests do: an endless sequence of writes that is a function of the worker's number, so
// that whoever knows how many of them were acknowledged knows what must be in the palace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci::crash {

// A record as far as the tests compare it.
struct Content {
  std::string document;
  std::int64_t version = 0;  // metadata "version"
  Embedding embedding;

  friend bool operator==(const Content&, const Content&) = default;
};
using State = std::map<std::string, Content>;  // by id

enum class StepKind { add, upsert_batch, update, erase, ingest, import };

// What a broken store would do; a harness must notice each of them.
enum class Defect { none, transaction_taken_apart, unique_key_dropped, words_not_updated };

// One write of one worker: its effect on the palace, and on what the palace must hold.
class Step {
 public:
  Step(int worker, std::int64_t number, Defect defect = Defect::none);

  Status run(Backend& backend, const PalaceRef& palace, Collection& collection) const;
  void apply_to(State& state) const;

  StepKind kind() const { return kind_; }

 private:
  std::vector<Record> records() const;
  Status upsert_batch(const PalaceRef& palace, Collection& collection) const;
  // What a store does that changes a text and forgets its words.
  Status upsert_without_words(const PalaceRef& palace, Collection& collection) const;
  Status import(Backend& backend, const PalaceRef& palace) const;

  int worker_;
  std::int64_t number_;
  Defect defect_;
  StepKind kind_;
};

// Every worker ingests the same texts of the same source; the palace must hold each of them once.
inline constexpr int kSharedTexts = 50;
std::string shared_text(int index);
// The prefix of the ids that a worker writes by itself.
std::string id_prefix(int worker);

}  // namespace loci::crash
