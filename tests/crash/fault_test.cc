// Every system call that an operation makes fails once, and from then on forever. Each time there is a clear error, the
// palace is as it was or as it should be, and the same call succeeds when the fault is gone.
#include <cerrno>
#include <functional>
#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "base/sha256.h"
#include "store/embedded/embedded_backend.h"
#include "tests/crash/fault_injection.h"
#include "tests/crash/palace_check.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kMaxCalls = 20'000;  // of one kind in one operation; far more than any makes

// An operation allocates some thousand times. Every one of them is tried, but where sanitizers make each try slow.
constexpr std::int64_t kAllocationStride = kHasSanitizedMemory ? 23 : 1;

std::int64_t stride_of(FaultyCall call) { return call == FaultyCall::allocate ? kAllocationStride : 1; }

std::vector<int> errors_of(FaultyCall call) {
  if (call == FaultyCall::allocate) return {ENOMEM};
  return {ENOSPC, EIO, EMFILE, EACCES};
}

Record record(std::string id, std::string document) {
  return {.id = std::move(id),
          .document = std::move(document),
          .metadata = {{"version", 1}},
          .embedding = Embedding{1, 2, 3}};
}

// An operation, from opening the palace on, and the documents that it leaves. It allocates nothing of its own: what it
// hands over is made before, so a lack of memory that shows is the store's.
struct TriedOperation {
  std::string name;
  std::function<Status(Collection&)> run;
  std::set<std::string> ids_after;
  IfMissing if_missing = IfMissing::fail;
};

std::vector<SourceUpdate> source_updates() {
  SourceUpdate update{.name = "/notes.md", .state = "1", .shared = {{"wing", std::string("w")}}};
  for (const char* id : {"mined", "mined2"}) {
    const std::string text = std::string("text of ") + id;
    update.records.push_back(
        {.id = id, .document = text, .content_hash = to_hex(sha256(text)), .position = {{"version", std::int64_t{1}}}});
  }
  return {update};
}

std::vector<TriedOperation> tried_operations() {
  return {
      {"add",
       [records = std::vector{record("new", "new text"), record("new2", "more")}](Collection& c) -> Status {
         TRY(c.upsert(records));
         return {};
       },
       {"a", "b", "new", "new2"}},
      {"update",
       [updates = std::vector<RecordUpdate>{{.id = "a", .document = "changed", .embedding = Embedding{3, 2, 1}}}](
           Collection& c) -> Status {
         TRY(c.update(updates));
         return {};
       },
       {"a", "b"}},
      {"delete",
       [selection = Selection{.ids = {{"a"}}}](Collection& c) -> Status {
         TRY(c.erase(selection));
         return {};
       },
       {"b"}},
      {"replace a source",
       [updates = source_updates()](Collection& c) -> Status {
         TRY(c.replace_sources(updates));
         return {};
       },
       {"a", "b", "mined", "mined2"}},
      {"search",
       [words = MatchRequest{.text = "text"}, near = QueryRequest{.embeddings = {{1, 2, 3}}}](Collection& c) -> Status {
         TRY(c.match(words));
         TRY(c.query(near));
         return {};
       },
       {"a", "b"}},
  };
}

class FaultTest : public testing::TestWithParam<FaultyCall> {
 protected:
  static void SetUpTestSuite() { install_allocation_faults(); }

  // A palace with two records, whose log is not yet moved into the file.
  static void fill(const PalaceRef& palace) {
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(palace, "drawers", {.if_missing = IfMissing::create});
    ASSERT_TRUE(collection.ok());
    ASSERT_TRUE((*collection)->add(std::vector{record("a", "first text"), record("b", "second text")}).ok());
  }

  static std::set<std::string> ids_in(const PalaceRef& palace) {
    std::set<std::string> ids;
    const Result<Held> held = read_palace(palace);
    EXPECT_TRUE(held.ok()) << held.error().message;
    if (held.ok()) {
      for (const auto& [id, content] : held->state) ids.insert(id);
    }
    return ids;
  }

  static Status open_and_run(Backend& backend, const PalaceRef& palace, const TriedOperation& operation) {
    const std::shared_ptr<Collection> collection =
        TRY(backend.collection(palace, "drawers", {.if_missing = operation.if_missing}));
    return operation.run(*collection);
  }

  // True: the fault happened, so there may be a later call to try.
  static bool try_fault(const TriedOperation& operation, const Fault& fault) {
    const TemporaryFolder folder = fast_folder();
    const PalaceRef palace = PalaceRef::at(folder.path() / "palace");
    fill(palace);
    const auto backend = make_embedded_backend();
    bool happened = false;
    Status tried;
    {
      const ArmedFault armed(fault);
      tried = open_and_run(*backend, palace, operation);
      backend->close_palace(palace);  // moves the log into the file, and removes it
      happened = armed.has_happened();
    }
    if (!tried.ok()) {
      EXPECT_TRUE(happened) << "failed without a fault: " << tried.error().message;
      // What cannot be read looks damaged to whoever reads it.
      const bool is_clear = tried.error().kind == ErrorKind::io || tried.error().kind == ErrorKind::busy ||
                            (fault.call == FaultyCall::read && tried.error().kind == ErrorKind::corruption);
      EXPECT_TRUE(is_clear) << to_string(tried.error().kind) << ": " << tried.error().message;
      const bool is_named = tried.error().message.find(palace.id) != std::string::npos;
      const bool lacks_memory = fault.call == FaultyCall::allocate && tried.error().message == "out of memory";
      EXPECT_TRUE(is_named || lacks_memory) << "the message names the file: " << tried.error().message;
    }
    const Status again = open_and_run(*backend, palace, operation);
    EXPECT_TRUE(again.ok()) << "after the fault was gone: " << again.error().message;
    EXPECT_EQ(ids_in(palace), operation.ids_after);
    // Allocations are too many to have every word compared after each.
    const bool is_examined_deeply = fault.call != FaultyCall::allocate || fault.at % 10 == 0;
    EXPECT_EQ(is_examined_deeply ? inconsistencies(palace) : inconsistent_tables(palace), std::vector<std::string>());
    return happened;
  }
};

TEST_P(FaultTest, EveryCallThatFailsGivesAClearErrorAndLeavesThePalaceWhole) {
  std::int64_t faults = 0;
  for (const TriedOperation& operation : tried_operations()) {
    for (const int errno_value : errors_of(GetParam())) {
      for (const Repeats repeats : {Repeats::once, Repeats::forever}) {
        for (std::int64_t at = 1; at <= kMaxCalls; at += stride_of(GetParam())) {
          SCOPED_TRACE(operation.name + ": call " + std::to_string(at) + " of " + std::string(to_string(GetParam())) +
                       " fails with " + std::to_string(errno_value) +
                       (repeats == Repeats::once ? " once" : " forever"));
          const bool happened = try_fault(operation, {GetParam(), errno_value, at, repeats});
          faults += happened ? 1 : 0;
          if (HasFailure()) return;
          if (!happened) break;
          ASSERT_LT(at, kMaxCalls);
        }
      }
    }
  }
  // Renames and folders are not on the path of these operations; everything else must have been hit.
  const bool is_on_the_path =
      GetParam() != FaultyCall::rename && GetParam() != FaultyCall::make_folder && GetParam() != FaultyCall::truncate;
  EXPECT_TRUE(faults > 0 || !is_on_the_path);
  std::cout << "tried: " << faults << " faults of " << to_string(GetParam()) << ", each with a clear error\n";
}

INSTANTIATE_TEST_SUITE_P(Calls, FaultTest,
                         testing::Values(FaultyCall::open, FaultyCall::read, FaultyCall::write, FaultyCall::sync,
                                         FaultyCall::truncate, FaultyCall::remove, FaultyCall::map,
                                         FaultyCall::allocate),
                         [](const auto& call) { return std::string(to_string(call.param)); });

}  // namespace
}  // namespace loci::crash
