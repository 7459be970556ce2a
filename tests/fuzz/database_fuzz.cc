// Bytes of a palace's database are replaced, at its header or elsewhere: opening, reading, searching, verifying and
// salvaging end in an answer or an error, and no text is served that was never stored.
//
// The first two bytes of an input say where the others go, in steps of 16 bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "base/file.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "tests/fast_folder.h"

namespace {

using namespace loci;

constexpr std::size_t kStep = 16;

// A small palace, made once.
class Fixture {
 public:
  Fixture() {
    const auto backend = make_embedded_backend();
    const auto drawers =
        backend->collection(PalaceRef::at(folder_.path() / "whole"), "drawers", {.if_missing = IfMissing::create});
    std::vector<Record> records;
    for (int i = 0; i < 4; ++i) {
      records.push_back({.id = "id" + std::to_string(i),
                         .document = "some words, number " + std::to_string(i),
                         .metadata = {{"wing", "w"}, {"number", i}},
                         .embedding = Embedding{static_cast<float>(i + 1), 2}});
      texts_.insert(records.back().document);
    }
    if (!drawers.ok() || !(*drawers)->add(records).ok()) std::abort();
    backend->close();
    whole_ = *read_file(folder_.path() / "whole" / embedded::kDatabaseName);
  }

  void try_bytes(std::size_t offset, std::string_view bytes) {
    std::string content = whole_;
    if (offset >= content.size()) return;
    bytes = bytes.substr(0, content.size() - offset);
    std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
    const std::filesystem::path damaged = folder_.path() / "damaged";
    std::filesystem::remove_all(damaged);
    std::filesystem::remove_all(folder_.path() / "salvaged");
    if (!make_private_folder(damaged).ok()) std::abort();
    if (!write_file_atomically(damaged / embedded::kDatabaseName, content).ok()) std::abort();
    for (const Access access : {Access::read_only, Access::read_write}) read_all(PalaceRef::at(damaged), access);
    const auto backend = make_embedded_backend();
    static_cast<void>(backend->upkeep()->verify(PalaceRef::at(damaged), VerifyDepth::deep));
    static_cast<void>(backend->upkeep()->salvage(PalaceRef::at(damaged), PalaceRef::at(folder_.path() / "salvaged")));
  }

 private:
  void read_all(const PalaceRef& palace, Access access) const {
    const auto backend = make_embedded_backend();
    const auto drawers = backend->collection(palace, "drawers", {.access = access});
    if (!drawers.ok()) return;
    const auto expect_stored = [&](const Record& record) {
      if (!texts_.contains(record.document)) std::abort();
    };
    if (const auto records = (*drawers)->get({}); records.ok()) {
      for (const Record& record : *records) expect_stored(record);
    }
    if (const auto hits = (*drawers)->match({.text = "words"}); hits.ok()) {
      for (const WordHit& hit : *hits) expect_stored(hit.record);
    }
    if (const auto near = (*drawers)->query({.embeddings = {{1, 2}}}); near.ok()) {
      for (const Hit& hit : near->hits[0]) expect_stored(hit.record);
    }
  }

  const TemporaryFolder folder_ = fast_folder();
  std::set<std::string> texts_;
  std::string whole_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Fixture fixture;
  if (size < 3) return 0;
  const std::size_t offset = (std::size_t{data[0]} << 8 | data[1]) * kStep;
  fixture.try_bytes(offset, {reinterpret_cast<const char*>(data) + 2, size - 2});
  return 0;
}
