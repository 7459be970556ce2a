#include "tests/crash/palace_check.h"

#include "loci/upkeep.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/sqlite.h"

namespace loci::crash {

std::vector<std::string> inconsistencies(const PalaceRef& palace) {
  std::vector<std::string> found = inconsistent_tables(palace);
  const Result<VerifyReport> verified = make_embedded_backend()->upkeep()->verify(palace, VerifyDepth::deep);
  if (!verified.ok()) {
    found.push_back("verify: " + verified.error().message);
    return found;
  }
  for (const Finding& finding : verified->findings) found.push_back("verify, " + finding.check + ": " + finding.detail);
  return found;
}

std::vector<std::string> inconsistent_tables(const PalaceRef& palace) {
  std::vector<std::string> found;
  const auto opened =
      embedded::open_connection(*palace.local_path / embedded::kDatabaseName, embedded::OpenMode::read_write);
  if (!opened.ok()) return {opened.error().message};
  embedded::Connection& connection = **opened;
  const auto expect = [&](const std::string& what, const std::string& sql, const std::string& wanted) {
    const Result<std::string> got = connection.query_text(sql);
    if (!got.ok()) found.push_back(what + ": " + got.error().message);
    if (got.ok() && *got != wanted) found.push_back(what + ": " + *got + " instead of " + wanted);
  };
  expect("the database", "PRAGMA integrity_check(3)", "ok");
  expect("records without text", "SELECT count(*) FROM records WHERE row NOT IN (SELECT row FROM documents)", "0");
  expect("texts without record", "SELECT count(*) FROM documents WHERE row NOT IN (SELECT row FROM records)", "0");
  expect("vectors without record", "SELECT count(*) FROM vectors WHERE row NOT IN (SELECT row FROM records)", "0");
  expect(
      "wrong vector state",
      "SELECT count(*) FROM records r WHERE (r.embedded = 1) <> EXISTS (SELECT 1 FROM vectors v WHERE v.row = r.row)",
      "0");
  expect("doubled keys",
         "SELECT count(*) FROM (SELECT 1 FROM records WHERE source IS NOT NULL GROUP BY source, content_hash, "
         "occurrence HAVING count(*) > 1)",
         "0");
  expect("a counter behind its rows",
         "SELECT (SELECT value FROM palace WHERE key = 'seq') < (SELECT coalesce(max(seq), 0) FROM records)", "0");
  // Each collection has a word index of its own.
  auto collections = connection.prepare("SELECT id FROM collections");
  if (!collections.ok()) return {collections.error().message};
  std::vector<std::string> numbers;
  for (Result<bool> has_row = collections->step(); has_row.ok() && *has_row; has_row = collections->step()) {
    numbers.push_back(std::to_string(collections->integer(0)));
  }
  for (const std::string& number : numbers) {
    const std::string table = "words_" + number;
    const std::string own = "(SELECT row FROM records WHERE collection = " + number + ")";
    expect("words without record", "SELECT count(*) FROM " + table + "_docsize WHERE id NOT IN " + own, "0");
    expect("records without words",
           "SELECT count(*) FROM " + own + " WHERE row NOT IN (SELECT id FROM " + table + "_docsize)", "0");
    const Status words = connection.execute("INSERT INTO " + table + "(" + table + ") VALUES ('integrity-check')");
    if (!words.ok()) found.push_back("the word index: " + words.error().message);
  }
  return found;
}

Result<Held> read_palace(const PalaceRef& palace) {
  const auto backend = make_embedded_backend();
  const auto collection = TRY(backend->collection(palace, "drawers", {}));
  Held held;
  TRY(collection->scan({.include = {.embeddings = true}}, [&](Record record) -> Status {
    if (!record.metadata.contains("version")) {
      ++held.shared[record.document];
    } else {
      held.state[record.id] = {record.document, std::get<std::int64_t>(record.metadata.at("version")),
                               record.embedding.value_or(Embedding{})};
    }
    return {};
  }));
  return held;
}

State part_of(const State& state, int worker) {
  State part;
  const std::string prefix = id_prefix(worker);
  for (const auto& [id, content] : state) {
    if (id.starts_with(prefix)) part.emplace(id, content);
  }
  return part;
}

}  // namespace loci::crash
