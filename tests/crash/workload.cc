#include "tests/crash/workload.h"

#include <array>
#include <span>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "ops/import.h"
#include "store/embedded/checksum.h"
#include "store/embedded/database.h"
#include "store/embedded/sqlite.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kIdsPerWorker = 40;
constexpr std::int64_t kBatch = 5;

// Small and fast; the sequence must be the same in every process.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Content content_of(std::int64_t number, std::int64_t part) {
  const std::uint64_t random = mix(static_cast<std::uint64_t>(number * 100 + part));
  Content content;
  content.version = number;
  content.document =
      "step" + std::to_string(number) + " part" + std::to_string(part) + " " + std::string(random % 700, 'x');
  for (int i = 0; i < 8; ++i)
    content.embedding.push_back(static_cast<float>(mix(random + static_cast<std::uint64_t>(i)) % 1000 + 1));
  return content;
}

}  // namespace

std::string shared_text(int index) { return "shared text number " + std::to_string(index); }

std::string id_prefix(int worker) { return "w" + std::to_string(worker) + "-"; }

// Which step it is decides what it does, in a fixed turn that visits every kind.
Step::Step(int worker, std::int64_t number, Defect defect) : worker_(worker), number_(number), defect_(defect) {
  constexpr std::array kTurn = {StepKind::upsert_batch, StepKind::update, StepKind::ingest,
                                StepKind::erase,        StepKind::add,    StepKind::import};
  kind_ = kTurn[static_cast<std::size_t>(number) % kTurn.size()];
}

std::vector<Record> Step::records() const {
  const std::int64_t parts = kind_ == StepKind::upsert_batch || kind_ == StepKind::import ? kBatch : 1;
  std::vector<Record> records;
  for (std::int64_t part = 0; part < parts; ++part) {
    const Content content = content_of(number_, part);
    const auto slot = static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(number_)) % kIdsPerWorker +
                                                static_cast<std::uint64_t>(part)) %
                      kIdsPerWorker;
    // An added record has an id of its own, which no other step uses.
    const std::string id =
        id_prefix(worker_) + (kind_ == StepKind::add ? "added-" + std::to_string(number_) : std::to_string(slot));
    records.push_back({.id = id,
                       .document = content.document,
                       .metadata = {{"version", content.version}, {"wing", id_prefix(worker_)}},
                       .embedding = content.embedding});
  }
  return records;
}

Status Step::upsert_without_words(const PalaceRef& palace, Collection& collection) const {
  std::vector<Record> others = records();
  for (Record& record : others) record.document = "quite another text";
  TRY(collection.upsert(others));
  const auto connection =
      TRY(embedded::open_connection(*palace.local_path / embedded::kDatabaseName, embedded::OpenMode::read_write));
  for (const Record& record : records()) {
    embedded::Statement select = TRY(connection->prepare("SELECT row FROM records WHERE id = ?1"));
    if (!TRY(select.bind(1, record.id).step())) continue;
    const std::int64_t row = select.integer(0);
    embedded::Statement update =
        TRY(connection->prepare("UPDATE documents SET text = ?2, checksum = ?3 WHERE row = ?1"));
    TRY(update.bind(1, row).bind(2, record.document).bind(3, embedded::text_checksum(row, record.document)).run());
  }
  return {};
}

Status Step::upsert_batch(const PalaceRef& palace, Collection& collection) const {
  if (defect_ == Defect::words_not_updated) return upsert_without_words(palace, collection);
  if (defect_ != Defect::transaction_taken_apart) {
    TRY(collection.upsert(records()));
    return {};
  }
  for (const Record& record : records()) TRY(collection.upsert(std::span(&record, 1)));
  return {};
}

Status Step::import(Backend& backend, const PalaceRef& palace) const {
  std::stringstream lines;
  for (const Record& record : records()) {
    const nlohmann::json line = {{"id", record.id},
                                 {"document", record.document},
                                 {"metadata", {{"version", number_}, {"wing", id_prefix(worker_)}}},
                                 {"embedding", *record.embedding}};
    lines << line.dump() << '\n';
  }
  TRY(import_lines(backend, {.palace = palace, .on_conflict = OnConflict::update}, lines));
  return {};
}

Status Step::run(Backend& backend, const PalaceRef& palace, Collection& collection) const {
  switch (kind_) {
    case StepKind::add: TRY(collection.add(records())); return {};
    case StepKind::upsert_batch: return upsert_batch(palace, collection);
    case StepKind::import: return import(backend, palace);
    case StepKind::update: {
      const Record record = records().front();
      TRY(collection.update(std::vector<RecordUpdate>{
          {.id = record.id, .document = record.document, .metadata = record.metadata, .embedding = record.embedding}}));
      return {};
    }
    case StepKind::erase: TRY(collection.erase({.ids = {{records().front().id}}})); return {};
    case StepKind::ingest: {
      const std::string text = shared_text(static_cast<int>(number_ % kSharedTexts));
      Record record{.id = id_prefix(worker_) + "ingested-" + std::to_string(number_), .document = text};
      if (defect_ != Defect::unique_key_dropped)
        record.details.emplace().key = UniqueKey{"/shared/source.md", to_hex(sha256(text)), 0};
      TRY(collection.upsert(std::vector{record}));
      return {};
    }
  }
  return {};
}

void Step::apply_to(State& state) const {
  switch (kind_) {
    case StepKind::add:
    case StepKind::upsert_batch:
    case StepKind::import:
      for (std::int64_t part = 0; const Record& record : records()) state[record.id] = content_of(number_, part++);
      break;
    case StepKind::update: {
      const Record record = records().front();
      if (const auto found = state.find(record.id); found != state.end()) found->second = content_of(number_, 0);
      break;
    }
    case StepKind::erase: state.erase(records().front().id); break;
    case StepKind::ingest: break;
  }
}

}  // namespace loci::crash
