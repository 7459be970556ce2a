// B1 to B9, M1 and M2: palaces, namespaces, collections, life and death of a backend.
#include <filesystem>
#include <thread>

#include <sys/stat.h>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BackendTest : public BackendFixture {
 protected:
  static std::vector<std::string> names_of(const Result<std::vector<CollectionInfo>>& infos) {
    std::vector<std::string> names;
    EXPECT_TRUE(ok(infos));
    if (infos.ok()) {
      for (const CollectionInfo& each : *infos) names.push_back(each.name);
    }
    return names;
  }
  void expect_nothing_on_disk(const PalaceRef& missing) {
    if (missing.local_path) {
      EXPECT_FALSE(std::filesystem::exists(*missing.local_path)) << *missing.local_path;
    }
  }
};

TEST_P(BackendTest, B1_ABackendSaysWhatItIs) {
  EXPECT_FALSE(info().name.empty());
  EXPECT_EQ(info().spec_version, kSpecVersion);
  EXPECT_TRUE(has(capability::kEmbeddingsIn)) << "every backend takes vectors";
  EXPECT_TRUE(has(capability::kMetadataFilters)) << "the required operators are required";
  EXPECT_EQ(another_backend().info().capabilities, info().capabilities) << "tokens are static";
  if (has(capability::kMigrationExport)) {
    EXPECT_TRUE(has(capability::kEmbeddingsOut)) << "an export without vectors is none";
  }
}

TEST_P(BackendTest, B3_PalacesAreIsolatedById) {
  const auto first = make_collection(palace("one"));
  const auto second = make_collection(palace("two"));
  ASSERT_TRUE(ok(first->add(std::vector{record("a", "of the first")})));
  EXPECT_THAT(ids_in(*second), IsEmpty());
  ASSERT_TRUE(ok(second->add(std::vector{record("a", "of the second", {1, 2, 3})}))) << "not even the dimension";
  EXPECT_EQ(value(second->erase({.ids = {{"a"}}})), 1U);
  EXPECT_EQ(get_one(*first, "a").document, "of the first");
  ASSERT_TRUE(ok(backend().delete_collection(palace("two"), "drawers")));
  EXPECT_EQ(value(first->count()), 1U);
}

TEST_P(BackendTest, B3_APalaceHasAnIdAndLocalOnesAFolder) {
  PalaceRef nameless = palace();
  nameless.id.clear();
  EXPECT_FALSE(backend().collection(nameless, "drawers", {.if_missing = IfMissing::create}).ok());
  if (has(capability::kLocalMode) && !has(capability::kServerMode)) {
    EXPECT_EQ(error_kind(backend().collection({.id = "somewhere"}, "drawers", {.if_missing = IfMissing::create})),
              ErrorKind::palace_not_found);
  }
}

TEST_P(BackendTest, B4_NamespacesAreIsolatedOrRefused) {
  PalaceRef left = palace();
  left.palace_namespace = "left";
  PalaceRef right = palace();
  right.palace_namespace = "right";
  if (!has(capability::kNamespaceIsolation)) {
    const OpenOptions create{.if_missing = IfMissing::create};
    EXPECT_FALSE(backend().collection(left, "drawers", create).ok());
    EXPECT_FALSE(backend().create_collection(left, "drawers", create).ok());
    expect_nothing_on_disk(left);
    make_collection(palace());
    EXPECT_FALSE(backend().collection(left, "drawers", {}).ok()) << "ignoring it would leak";
    EXPECT_FALSE(backend().collections(left, Access::read_only).ok());
    EXPECT_FALSE(backend().delete_collection(left, "drawers").ok());
    EXPECT_FALSE(backend().set_embedder(left, "drawers", "words", {}, ModelSwap::refuse).ok());
    EXPECT_FALSE(backend().maintenance_state(left, Access::read_only).ok());
    return;
  }
  const auto in_left = make_collection(left);
  EXPECT_EQ(error_kind(backend().collection(right, "drawers", {})), ErrorKind::palace_not_found);
  const auto in_right = make_collection(right);
  const auto in_neither = make_collection(palace());
  ASSERT_TRUE(ok(in_left->add(std::vector{record("a", "left")})));
  ASSERT_TRUE(ok(in_right->add(std::vector{record("a", "right", {1, 2, 3})})));
  EXPECT_THAT(ids_in(*in_neither), IsEmpty());
  EXPECT_EQ(get_one(*in_left, "a").document, "left");
  EXPECT_EQ(value(in_right->erase({.where_document = where_document(R"({"$contains": "t"})")})), 1U);
  EXPECT_EQ(get_one(*in_left, "a").document, "left");
  ASSERT_TRUE(ok(backend().delete_collection(right, "drawers")));
  EXPECT_EQ(value(in_left->count()), 1U);
}

TEST_P(BackendTest, B5_AMissingPalaceIsNotFoundAndNothingIsCreated) {
  const PalaceRef missing = palace("missing");
  EXPECT_EQ(error_kind(backend().collection(missing, "drawers", {})), ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(backend().collection(missing, "drawers", {.access = Access::read_only})),
            ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(backend().collections(missing, Access::read_write)), ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(backend().collections(missing, Access::read_only)), ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(backend().delete_collection(missing, "drawers")), ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(backend().set_embedder(missing, "drawers", "words", {}, ModelSwap::refuse)),
            ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(backend().maintenance_state(missing, Access::read_write)), ErrorKind::palace_not_found);
  expect_nothing_on_disk(missing);
}

TEST_P(BackendTest, B5_AMissingCollectionIsAnotherErrorAndIsNotCreated) {
  make_collection(palace(), "there");
  EXPECT_EQ(error_kind(backend().collection(palace(), "missing", {})), ErrorKind::collection_not_initialized);
  EXPECT_EQ(error_kind(backend().delete_collection(palace(), "missing")), ErrorKind::collection_not_initialized);
  EXPECT_EQ(error_kind(backend().set_embedder(palace(), "missing", "words", {}, ModelSwap::refuse)),
            ErrorKind::collection_not_initialized);
  EXPECT_THAT(names_of(backend().collections(palace(), Access::read_write)), ElementsAre("there"));
}

TEST_P(BackendTest, B5_CreatingTwiceIsTheSameCollection) {
  const auto first = make_collection(palace());
  ASSERT_TRUE(ok(first->add(std::vector{record("a")})));
  EXPECT_THAT(ids_in(*make_collection(palace())), ElementsAre("a"));
}

TEST_P(BackendTest, B5_WhatIsOnDiskIsPrivate) {
  if (!has(capability::kLocalMode)) GTEST_SKIP() << GetParam().name << " keeps nothing in folders";
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("a")})));
  const std::filesystem::path folder = *palace().local_path;
  const auto mode_of = [](const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  };
  EXPECT_EQ(mode_of(folder), 0700U);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    EXPECT_EQ(mode_of(entry.path()), entry.is_directory() ? 0700U : 0600U) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0U);
}

TEST_P(BackendTest, B6_CollectionsOfOnePalaceAreIsolated) {
  const auto first = make_collection(palace(), "first");
  const auto second = make_collection(palace(), "second");
  ASSERT_TRUE(ok(first->add(std::vector{record("a", "of the first")})));
  ASSERT_TRUE(ok(second->add(std::vector{record("a", "of the second", {1, 2, 3})})));
  EXPECT_EQ(get_one(*first, "a").document, "of the first");
  EXPECT_EQ(value(first->info()).dimension, 2U);
  EXPECT_EQ(value(second->info()).dimension, 3U);
  EXPECT_EQ(value(first->erase({.where = where(R"({"k": {"$ne": 1}})")})), 1U);
  EXPECT_EQ(get_one(*second, "a").document, "of the second");
}

TEST_P(BackendTest, B6_CollectionsAreListedByName) {
  for (const char* name : {"b", "a", "Schränke 🗄", "c'; DROP TABLE records; --"}) make_collection(palace(), name);
  EXPECT_THAT(names_of(backend().collections(palace(), Access::read_only)),
              ElementsAre("Schränke 🗄", "a", "b", "c'; DROP TABLE records; --"));
  const auto collection = make_collection(palace(), "a");
  ASSERT_TRUE(ok(collection->add(std::vector{record("x", "", {1, 2, 3})})));
  const auto waiting = collection->add(std::vector<Record>{{.id = "waits"}});
  EXPECT_TRUE(waiting.ok() || waiting.error().kind == ErrorKind::unsupported);
  const CollectionInfo listed = value(backend().collections(palace(), Access::read_write)).at(1);
  EXPECT_EQ(listed.name, "a");
  EXPECT_EQ(listed.dimension, 3U);
  EXPECT_EQ(listed.pending, waiting.ok() ? 1U : 0U);
  EXPECT_EQ(listed.metric, DistanceMetric::cosine);
  EXPECT_EQ(value(collection->info()).name, "a");
}

TEST_P(BackendTest, B6_CreateCollectionRefusesOneThatIsThere) {
  const auto created = backend().create_collection(palace(), "drawers", {.metric = DistanceMetric::ip});
  ASSERT_TRUE(ok(created));
  EXPECT_EQ(value((*created)->info()).metric, DistanceMetric::ip);
  ASSERT_TRUE(ok((*created)->add(std::vector{record("a")})));
  EXPECT_EQ(error_kind(backend().create_collection(palace(), "drawers", {})), ErrorKind::already_exists);
  EXPECT_EQ(value((*created)->count()), 1U);
}

TEST_P(BackendTest, B6_ADeletedCollectionIsGoneWithAllItHeld) {
  const auto doomed = make_collection(palace(), "doomed");
  make_collection(palace(), "other");
  ASSERT_TRUE(ok(doomed->add(std::vector{record("a", "words", {1, 2, 3})})));
  ASSERT_TRUE(ok(backend().delete_collection(palace(), "doomed")));
  EXPECT_EQ(error_kind(doomed->count()), ErrorKind::collection_not_initialized);
  EXPECT_EQ(error_kind(doomed->add(std::vector{record("b")})), ErrorKind::collection_not_initialized)
      << "a handle does not bring it back";
  EXPECT_THAT(names_of(backend().collections(palace(), Access::read_write)), ElementsAre("other"));
  const auto again = make_collection(palace(), "doomed");
  EXPECT_EQ(value(again->count()), 0U);
  EXPECT_EQ(value(again->info()).dimension, std::nullopt);
  EXPECT_TRUE(ok(again->add(std::vector{record("a")})));
}

TEST_P(BackendTest, B6_ANameThatIsNoneIsRefused) {
  for (const std::string& name : {std::string(), std::string(10'000, 'x'), std::string("a\0b", 3), std::string("\xff"),
                                  std::string("two\nlines")}) {
    EXPECT_EQ(error_kind(backend().collection(palace(), name, {.if_missing = IfMissing::create})),
              ErrorKind::invalid_argument);
  }
  expect_nothing_on_disk(palace());
}

TEST_P(BackendTest, B6_DetectionFindsThisBackendsFolders) {
  if (!has(capability::kLocalMode)) GTEST_SKIP() << GetParam().name << " keeps nothing in folders";
  const std::filesystem::path folder = *palace().local_path;
  EXPECT_FALSE(backend().detect(folder));
  expect_nothing_on_disk(palace());
  make_collection(palace());
  EXPECT_TRUE(backend().detect(folder));
  EXPECT_TRUE(another_backend().detect(folder));
  EXPECT_FALSE(backend().detect(folder.parent_path()));
}

TEST_P(BackendTest, B7_ClosingOnePalaceLeavesTheOthersOpen) {
  backend().close_palace(palace("never opened"));
  expect_nothing_on_disk(palace("never opened"));
  const auto kept = make_collection(palace("kept"));
  const auto closed = make_collection(palace("closed"));
  ASSERT_TRUE(ok(closed->add(std::vector{record("a")})));
  backend().close_palace(palace("closed"));
  backend().close_palace(palace("closed"));
  EXPECT_TRUE(ok(kept->add(std::vector{record("b")})));
  EXPECT_THAT(ids_in(*make_collection(palace("closed"))), ElementsAre("a"));
}

TEST_P(BackendTest, B7_AfterCloseEveryCallIsRefused) {
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("a")})));
  EXPECT_TRUE(collection->health().healthy);
  backend().close();
  backend().close();
  constexpr ErrorKind kClosed = ErrorKind::backend_closed;
  EXPECT_EQ(error_kind(collection->info()), kClosed);
  EXPECT_EQ(error_kind(collection->add(std::vector{record("b")})), kClosed);
  EXPECT_EQ(error_kind(collection->upsert(std::vector{record("b")})), kClosed);
  EXPECT_EQ(error_kind(collection->update(std::vector<RecordUpdate>{{.id = "a", .document = "x"}})), kClosed);
  EXPECT_EQ(error_kind(collection->erase({.ids = {{"a"}}})), kClosed);
  EXPECT_EQ(error_kind(collection->get({})), kClosed);
  EXPECT_EQ(error_kind(collection->scan({}, [](const Record&) { return ok_status(); })), kClosed);
  EXPECT_EQ(error_kind(collection->query({.embeddings = {{1, 0}}})), kClosed);
  EXPECT_EQ(error_kind(collection->match({.text = "words"})), kClosed);
  EXPECT_EQ(error_kind(collection->count()), kClosed);
  EXPECT_EQ(error_kind(collection->count_by(std::vector<std::string>{"wing"})), kClosed);
  EXPECT_EQ(error_kind(collection->changes_since(0, 10)), kClosed);
  EXPECT_FALSE(collection->health().healthy);
  EXPECT_EQ(error_kind(backend().collection(palace(), "drawers", {})), kClosed);
  EXPECT_EQ(error_kind(backend().create_collection(palace(), "new", {})), kClosed);
  EXPECT_EQ(error_kind(backend().collections(palace(), Access::read_only)), kClosed);
  EXPECT_EQ(error_kind(backend().delete_collection(palace(), "drawers")), kClosed);
  EXPECT_EQ(error_kind(backend().set_embedder(palace(), "drawers", "words", {}, ModelSwap::refuse)), kClosed);
  EXPECT_EQ(error_kind(backend().maintenance_state(palace(), Access::read_only)), kClosed);
  EXPECT_EQ(error_kind(backend().run_maintenance(palace(), "compact")), kClosed);
  backend().close_palace(palace());
  EXPECT_THAT(ids_in(*value(another_backend().collection(palace(), "drawers", {}))), ElementsAre("a"))
      << "others are not concerned";
}

TEST_P(BackendTest, B7_ReadOnlyReadsAndDoesNotWrite) {
  ASSERT_TRUE(ok(make_collection(palace())->add(std::vector{record("a")})));
  const auto reader = another_backend().collection(palace(), "drawers", {.access = Access::read_only});
  ASSERT_TRUE(ok(reader));
  EXPECT_THAT(ids_in(**reader), ElementsAre("a"));
  EXPECT_THAT(ids_of(value((*reader)->query({.embeddings = {{1, 0}}})).hits[0]), ElementsAre("a"));
  EXPECT_FALSE((*reader)->add(std::vector{record("b")}).ok());
  EXPECT_FALSE((*reader)->upsert(std::vector{record("a", "new")}).ok());
  EXPECT_FALSE((*reader)->erase({.ids = {{"a"}}}).ok());
  EXPECT_FALSE((*reader)->update(std::vector<RecordUpdate>{{.id = "a", .document = "new"}}).ok());
  EXPECT_EQ(get_one(*make_collection(palace()), "a").document, "");
  ASSERT_TRUE(ok(make_collection(palace())->add(std::vector{record("c")})));
  EXPECT_THAT(ids_in(**reader), ElementsAre("a", "c")) << "it shows what others write";
}

TEST_P(BackendTest, B9_AHandleNoticesThatItsCollectionWasMadeAnew) {
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("old")})));
  Backend& other = another_backend();
  ASSERT_TRUE(ok(other.delete_collection(palace(), "drawers")));
  EXPECT_EQ(error_kind(collection->count()), ErrorKind::collection_not_initialized);
  const auto again = other.collection(palace(), "drawers", {.if_missing = IfMissing::create});
  ASSERT_TRUE(ok(again));
  ASSERT_TRUE(ok((*again)->add(std::vector{record("new", "", {1, 2, 3})})));
  EXPECT_THAT(ids_in(*collection), ElementsAre("new"));
}

TEST_P(BackendTest, B9_AHandleNoticesThatItsFolderWasRemovedAndMadeAnew) {
  if (!has(capability::kLocalMode)) GTEST_SKIP() << GetParam().name << " keeps nothing in folders";
  const std::filesystem::path folder = *palace().local_path;
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("old")})));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(error_kind(collection->count()), ErrorKind::palace_not_found);
  EXPECT_EQ(error_kind(collection->add(std::vector{record("lost")})), ErrorKind::palace_not_found)
      << "nothing may be written to a file that is gone";
  expect_nothing_on_disk(palace());

  const auto again = another_backend().collection(palace(), "drawers", {.if_missing = IfMissing::create});
  ASSERT_TRUE(ok(again));
  ASSERT_TRUE(ok((*again)->add(std::vector{record("new")})));
  EXPECT_THAT(ids_in(*collection), ElementsAre("new"));
  EXPECT_TRUE(ok(collection->add(std::vector{record("newer")})));
  EXPECT_THAT(ids_in(**again), ElementsAre("new", "newer"));
}

TEST_P(BackendTest, B9_AHandleNoticesThatItsFolderWasReplaced) {
  if (!has(capability::kLocalMode)) GTEST_SKIP() << GetParam().name << " keeps nothing in folders";
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("old")})));
  Backend& other = another_backend();
  const auto replacement = other.collection(palace("replacement"), "drawers", {.if_missing = IfMissing::create});
  ASSERT_TRUE(ok(replacement));
  ASSERT_TRUE(ok((*replacement)->add(std::vector{record("replaced")})));
  other.close();
  std::filesystem::rename(*palace().local_path, *palace("aside").local_path);
  std::filesystem::rename(*palace("replacement").local_path, *palace().local_path);
  EXPECT_THAT(ids_in(*collection), ElementsAre("replaced"));
}

TEST_P(BackendTest, B9_APalaceThatAppearsLaterIsSeen) {
  EXPECT_EQ(error_kind(backend().collection(palace(), "drawers", {})), ErrorKind::palace_not_found);
  const auto made = another_backend().collection(palace(), "drawers", {.if_missing = IfMissing::create});
  ASSERT_TRUE(ok(made));
  ASSERT_TRUE(ok((*made)->add(std::vector{record("a")})));
  const auto seen = backend().collection(palace(), "drawers", {});
  ASSERT_TRUE(ok(seen));
  EXPECT_THAT(ids_in(**seen), ElementsAre("a"));
}

TEST_P(BackendTest, M1_MaintenanceIsReportedAndUnknownKindsAreRefused) {
  make_collection(palace());
  const auto state = backend().maintenance_state(palace(), Access::read_only);
  ASSERT_TRUE(ok(state));
  EXPECT_FALSE(state->empty());
  EXPECT_EQ(error_kind(backend().run_maintenance(palace(), "no such kind")), ErrorKind::unsupported_maintenance_kind);
  for (const char* reserved : {"analyze", "compact", "reindex"}) {
    if (info().maintenance_kinds.contains(reserved)) continue;
    EXPECT_EQ(error_kind(backend().run_maintenance(palace(), reserved)), ErrorKind::unsupported_maintenance_kind);
  }
}

TEST_P(BackendTest, M2_EveryAdvertisedKindRunsAndLosesNothing) {
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("a", "words"), record("b")})));
  for (const std::string& kind : info().maintenance_kinds) {
    const auto report = backend().run_maintenance(palace(), kind);
    ASSERT_TRUE(ok(report)) << kind;
    EXPECT_EQ(report->kind, kind);
    EXPECT_NE(report->status, MaintenanceStatus::already_running) << "nobody else is there";
    EXPECT_THAT(ids_in(*collection), ElementsAre("a", "b"));
    EXPECT_THAT(ids_of(value(collection->query({.embeddings = {{1, 0}}})).hits[0]), ElementsAre("a", "b"));
  }
}

TEST_P(BackendTest, M2_CallersAtOnceAreAllAnsweredAndNothingIsLost) {
  if (info().maintenance_kinds.empty()) GTEST_SKIP() << GetParam().name << " has no maintenance";
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("a", "words"), record("b")})));
  std::vector<Backend*> backends{&backend(), &another_backend(), &another_backend()};
  std::vector<std::thread> callers;
  for (Backend* each : backends) {
    callers.emplace_back([this, each] {
      for (const std::string& kind : info().maintenance_kinds) {
        EXPECT_TRUE(ok(each->run_maintenance(palace(), kind))) << kind;
      }
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(ok(collection->add(std::vector{record("n" + std::to_string(i), "words")})));
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(value(collection->count()), 22U);
  if (has(capability::kLexicalSearch)) {
    EXPECT_EQ(value(collection->match({.text = "words", .n_results = 100})).size(), 21U);
  }
}

TEST_P(BackendTest, M2_MaintenanceLeavesTheChangeFeedAsItWas) {
  if (!has(capability::kChangeFeed)) GTEST_SKIP() << GetParam().name << " has no change feed";
  const auto collection = make_collection(palace());
  ASSERT_TRUE(ok(collection->add(std::vector{record("a", "words"), record("b"), record("c")})));
  ASSERT_TRUE(ok(collection->erase({.ids = {{"a", "b"}}})));
  ASSERT_TRUE(ok(collection->add(std::vector{record("b", "again")})));
  const std::vector<Change> before = value(collection->changes_since(0, 100));
  for (const std::string& kind : info().maintenance_kinds) {
    ASSERT_TRUE(ok(backend().run_maintenance(palace(), kind))) << kind;
    EXPECT_EQ(value(collection->changes_since(0, 100)), before) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, BackendTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
