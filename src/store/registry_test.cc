#include "store/registry.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A backend that knows its name and version and detects the folder it is told.
class NamedBackend : public Backend {
 public:
  NamedBackend(std::string name, std::string version, std::filesystem::path home = {}) : home_(std::move(home)) {
    info_.name = std::move(name);
    info_.spec_version = std::move(version);
  }
  const BackendInfo& info() const override { return info_; }
  bool detect(const std::filesystem::path& folder) const override { return folder == home_; }
  void close() override { is_closed_ = true; }
  bool is_closed() const { return is_closed_; }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef&, std::string_view, const OpenOptions&) override {
    return missing();
  }
  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef&, std::string_view,
                                                        const OpenOptions&) override {
    return missing();
  }
  Result<std::vector<CollectionInfo>> collections(const PalaceRef&, Access) override { return missing(); }
  Status delete_collection(const PalaceRef&, std::string_view) override { return missing(); }
  Status set_embedder(const PalaceRef&, std::string_view, std::string_view, std::optional<std::size_t>,
                      ModelSwap) override {
    return missing();
  }
  Result<Metadata> maintenance_state(const PalaceRef&, Access) override { return missing(); }
  Result<MaintenanceReport> run_maintenance(const PalaceRef&, std::string_view) override { return missing(); }
  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}

 private:
  static Error missing() { return {ErrorKind::unsupported, "not needed here"}; }

  BackendInfo info_;
  std::filesystem::path home_;
  bool is_closed_ = false;
};

BackendFactory make(const std::string& name, const std::string& version = "1.0",
                    const std::filesystem::path& home = {}) {
  return [=]() -> std::unique_ptr<Backend> { return std::make_unique<NamedBackend>(name, version, home); };
}

TEST(RegistryTest, ABackendIsFoundByNameAndMadeOnce) {
  BackendRegistry registry;
  int made = 0;
  ASSERT_TRUE(registry
                  .add("loci", BackendOrigin::built_in,
                       [&]() -> std::unique_ptr<Backend> {
                         ++made;
                         return std::make_unique<NamedBackend>("loci", "1.0");
                       })
                  .ok());
  EXPECT_EQ(made, 0);
  const Result<Backend*> first = registry.find("loci");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->info().name, "loci");
  EXPECT_EQ(*registry.find("loci"), *first);
  EXPECT_EQ(made, 1);
}

TEST(RegistryTest, AnUnknownNameIsAnErrorThatListsWhatThereIs) {
  BackendRegistry registry;
  EXPECT_EQ(registry.find("x").error().kind, ErrorKind::not_found);
  ASSERT_TRUE(registry.add("postgres", BackendOrigin::built_in, make("postgres")).ok());
  ASSERT_TRUE(registry.add("loci", BackendOrigin::built_in, make("loci")).ok());
  const Result<Backend*> backend = registry.find("no-such");
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.error().kind, ErrorKind::not_found);
  EXPECT_THAT(backend.error().message, HasSubstr("\"no-such\""));
  EXPECT_THAT(backend.error().message, HasSubstr("loci, postgres"));
  EXPECT_THAT(registry.names(), ElementsAre("loci", "postgres"));
}

TEST(RegistryTest, CodeWinsOverBuiltInsAndBothOverPlugIns) {
  for (const bool plug_in_first : {true, false}) {
    BackendRegistry registry;
    if (plug_in_first) {
      ASSERT_TRUE(registry.add("x", BackendOrigin::plug_in, make("plug-in")).ok());
    }
    ASSERT_TRUE(registry.add("x", BackendOrigin::built_in, make("built-in")).ok());
    ASSERT_TRUE(registry.add("x", BackendOrigin::code, make("code")).ok());
    if (!plug_in_first) {
      ASSERT_TRUE(registry.add("x", BackendOrigin::plug_in, make("plug-in")).ok());
    }
    EXPECT_EQ((*registry.find("x"))->info().name, "code");
  }
}

TEST(RegistryTest, ANameIsRegisteredOncePerOriginAndNotReplacedInUse) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.add("x", BackendOrigin::built_in, make("x")).ok());
  EXPECT_EQ(registry.add("x", BackendOrigin::built_in, make("x")).error().kind, ErrorKind::already_exists);
  ASSERT_TRUE(registry.find("x").ok());
  EXPECT_EQ(registry.add("x", BackendOrigin::code, make("x")).error().kind, ErrorKind::already_exists);
  EXPECT_EQ(registry.add("", BackendOrigin::code, make("")).error().kind, ErrorKind::invalid_argument);
}

TEST(RegistryTest, AnotherMajorVersionIsRefusedAndBothAreNamed) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.add("next", BackendOrigin::plug_in, make("next", "2.0")).ok());
  ASSERT_TRUE(registry.add("minor", BackendOrigin::plug_in, make("minor", "1.7")).ok());
  const Result<Backend*> next = registry.find("next");
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().kind, ErrorKind::version_mismatch);
  EXPECT_THAT(next.error().message, HasSubstr("2.0"));
  EXPECT_THAT(next.error().message, HasSubstr("1.0"));
  EXPECT_TRUE(registry.find("minor").ok());
  for (const char* version : {"", "one", "1x.0", "10.0", "-1.0"}) {
    EXPECT_EQ(check_spec_version("x", version).error().kind, ErrorKind::version_mismatch) << version;
  }
}

TEST(RegistryTest, AFactoryThatFailsSaysWhy) {
  BackendRegistry registry;
  ASSERT_TRUE(registry
                  .add("away", BackendOrigin::plug_in,
                       []() -> Result<std::unique_ptr<Backend>> {
                         return Error{ErrorKind::io, "no such library"};
                       })
                  .ok());
  ASSERT_TRUE(registry
                  .add("null", BackendOrigin::plug_in,
                       []() -> Result<std::unique_ptr<Backend>> { return std::unique_ptr<Backend>(); })
                  .ok());
  EXPECT_EQ(registry.find("away").error().message, "no such library");
  EXPECT_EQ(registry.find("null").error().kind, ErrorKind::internal);
}

TEST(RegistryTest, DetectionAsksEveryBackend) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.add("b", BackendOrigin::built_in, make("b", "1.0", "/here")).ok());
  ASSERT_TRUE(registry.add("a", BackendOrigin::built_in, make("a", "1.0", "/here")).ok());
  ASSERT_TRUE(registry.add("c", BackendOrigin::built_in, make("c", "1.0", "/there")).ok());
  ASSERT_TRUE(registry.add("old", BackendOrigin::plug_in, make("old", "0.9", "/here")).ok());
  EXPECT_THAT(registry.detect("/here"), ElementsAre("a", "b"));
  EXPECT_THAT(registry.detect("/nowhere"), ElementsAre());
}

TEST(RegistryTest, AFolderIsForABackendThatHasFilesThereOrForAnyWhenNobodyHas) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.add("a", BackendOrigin::built_in, make("a", "1.0", "/here")).ok());
  ASSERT_TRUE(registry.add("b", BackendOrigin::built_in, make("b", "1.0", "/here")).ok());
  ASSERT_TRUE(registry.add("c", BackendOrigin::built_in, make("c", "1.0", "/there")).ok());
  EXPECT_TRUE(registry.check_folder("a", "/here").ok());
  EXPECT_TRUE(registry.check_folder("a", "/nowhere").ok());
  const Status status = registry.check_folder("c", "/here");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("a palace of the backend a, b and none of c"));
}

TEST(RegistryTest, ClosingClosesWhatWasMade) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.add("x", BackendOrigin::built_in, make("x")).ok());
  ASSERT_TRUE(registry.add("never", BackendOrigin::built_in, make("never")).ok());
  const auto* backend = static_cast<NamedBackend*>(*registry.find("x"));
  registry.close();
  EXPECT_TRUE(backend->is_closed());
}

TEST(RegistryTest, ManyThreadsGetTheSameBackend) {
  BackendRegistry registry;
  std::atomic<int> made = 0;
  ASSERT_TRUE(registry
                  .add("x", BackendOrigin::built_in,
                       [&]() -> std::unique_ptr<Backend> {
                         ++made;
                         return std::make_unique<NamedBackend>("x", "1.0");
                       })
                  .ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(registry.find("x").ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

// What is found on disk in these tests.
std::vector<std::string> nothing() { return {}; }
std::vector<std::string> chroma() { return {"chroma"}; }

TEST(SelectBackendTest, EachSourceWinsOverThoseBelowIt) {
  const auto choose = [](const BackendWishes& wishes) {
    return *select_backend(wishes, PalaceState::existing, [] { return chroma(); });
  };
  const BackendWishes all{.flag = "flag", .palace_configuration = "palace", .environment = "environment"};
  EXPECT_EQ(choose(all), (BackendChoice{"flag", BackendSource::flag}));
  BackendWishes wishes = all;
  wishes.flag.reset();
  EXPECT_EQ(choose(wishes), (BackendChoice{"palace", BackendSource::palace_configuration}));
  wishes.palace_configuration = "";
  EXPECT_EQ(choose(wishes), (BackendChoice{"environment", BackendSource::environment}));
  wishes.environment = "";
  EXPECT_EQ(choose(wishes), (BackendChoice{"chroma", BackendSource::detection}));
}

TEST(SelectBackendTest, NothingSaidAndNothingFoundIsTheDefault) {
  EXPECT_EQ(*select_backend({}, PalaceState::existing, [] { return nothing(); }),
            (BackendChoice{"loci", BackendSource::default_name}));
  EXPECT_EQ(*select_backend({.default_name = "postgres"}, PalaceState::fresh, [] { return nothing(); }),
            (BackendChoice{"postgres", BackendSource::default_name}));
}

TEST(SelectBackendTest, AFreshPalaceIsNeverDetected) {
  bool was_asked = false;
  const BackendChoice choice = *select_backend({}, PalaceState::fresh, [&] {
    was_asked = true;
    return chroma();
  });
  EXPECT_EQ(choice, (BackendChoice{"loci", BackendSource::default_name}));
  EXPECT_FALSE(was_asked);
}

TEST(SelectBackendTest, AFolderOfSeveralBackendsIsAQuestionToTheUser) {
  const Result<BackendChoice> choice = select_backend({}, PalaceState::existing, [] {
    return std::vector<std::string>{"chroma", "loci"};
  });
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(choice.error().message, HasSubstr("chroma, loci"));
  EXPECT_THAT(choice.error().message, HasSubstr("--backend"));
}

TEST(BackendOriginTest, OriginsHaveNamesForMessages) {
  EXPECT_EQ(to_string(BackendOrigin::code), "code");
  EXPECT_EQ(to_string(BackendOrigin::built_in), "built in");
  EXPECT_EQ(to_string(BackendOrigin::plug_in), "plug-in");
}

}  // namespace
}  // namespace loci
