// Files that nobody expects: each is told of in the summary, and all others are stored.
#include <filesystem>
#include <fstream>

#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/ingest/fixture.h"

namespace loci::mining {
namespace {

namespace fs = std::filesystem;

class BadInputTest : public MiningTest {
 protected:
  // Mines, and expects that one entry was passed over for this reason and the good file was stored.
  void expect_passed_over(PassReason reason, std::size_t count = 1, MineRequest request = {}) {
    write("good.md", "good words");
    const MineReport report = mine_project(std::move(request));
    EXPECT_EQ(report.passed_over.count(reason), count) << to_string(reason);
    EXPECT_EQ(text_of("good.md"), "good words");
    if (count > 0) {
      EXPECT_FALSE(report.passed_over.groups().at(reason).named.front().path.empty());
    }
  }
};

TEST_F(BadInputTest, AFileOfTwoGigabytesIsToldOf) {
  write("huge.txt", "x");
  fs::resize_file(path_of("huge.txt"), std::uintmax_t{2} << 30);  // takes no space
  expect_passed_over(PassReason::too_large);
}

TEST_F(BadInputTest, ALineWithoutEndIsCut) {
  const std::string line(600'000, 'x');
  write("line.txt", line);
  expect_passed_over(PassReason::too_large, 0);
  EXPECT_EQ(text_of("line.txt"), line);
}

TEST_F(BadInputTest, OtherEncodingsAreDecoded) {
  write("bom.txt", "\xEF\xBB\xBFwith a mark");
  write("latin.txt", "caf\xE9 au lait, tr\xE8s bien");
  write("utf16.txt", std::string("\xFF\xFEh\0e\0l\0l\0o\0", 12));
  write("surrogate.txt", std::string("\xFF\xFEh\0\x00\xD8o\0", 8));
  mine_project();
  EXPECT_EQ(text_of("bom.txt"), "with a mark");
  EXPECT_EQ(text_of("latin.txt"), "café au lait, très bien");
  EXPECT_EQ(text_of("utf16.txt"), "hello");
  EXPECT_EQ(text_of("surrogate.txt"), "h\uFFFDo");
}

TEST_F(BadInputTest, ManyNulBytesMakeAFileBinaryAndATextByItsNameIsToldOf) {
  write("data.txt", std::string("a\0b\0\0\0c\1\2\3", 10));
  expect_passed_over(PassReason::not_text);
}

TEST_F(BadInputTest, PipesAndSocketsAreNotRead) {
  ASSERT_EQ(::mkfifo(path_of("pipe").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = path_of("socket");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_passed_over(PassReason::special_file, 2);
  ::close(socket);
}

TEST_F(BadInputTest, LinksAreNotFollowedAndLoopsEnd) {
  write("../outside/secret.md", "outside");
  fs::create_directory_symlink("..", path_of("loop"));
  fs::create_directory_symlink(project() / "../outside", path_of("out"));
  fs::create_symlink(project() / "../outside/secret.md", path_of("link.md"));
  expect_passed_over(PassReason::symbolic_link, 3);
  EXPECT_EQ(all().size(), 1U);
}

TEST_F(BadInputTest, NamesThatAreNotUtf8AreToldOf) {
  write("bad\xFF.md", "x");
  expect_passed_over(PassReason::bad_name);
}

// Root may read everything, so while one lives this thread, and those it starts, meet files as another user does.
class WithoutPrivileges {
 public:
  explicit WithoutPrivileges(const fs::path& folder) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() != 0) return;
    is_changed_ = true;
    EXPECT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_EQ(::lchown(entry.path().c_str(), kNobody, kNobody), 0);
    ::setfsuid(kNobody);
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;
  ~WithoutPrivileges() {
    if (is_changed_) ::setfsuid(0);
  }

 private:
  bool is_changed_ = false;
};

TEST_F(BadInputTest, WhatMayNotBeReadIsToldOf) {
  write("closed.md", "x");
  write("closed/in.md", "x");
  const WithoutPrivileges rights(project().parent_path());
  fs::permissions(path_of("closed.md"), fs::perms::none);
  fs::permissions(path_of("closed"), fs::perms::none);
  expect_passed_over(PassReason::unreadable, 2);
  fs::permissions(path_of("closed"), fs::perms::owner_all);
}

TEST_F(BadInputTest, SourcesInAFolderThatCannotBeListedStay) {
  write("sub/deep/a.md", "one");
  write("sub/b.md", "two");
  mine_project();
  const WithoutPrivileges rights(project().parent_path());
  fs::permissions(path_of("sub"), fs::perms::owner_exec);  // its files can be found by their names
  EXPECT_TRUE(mine_project().left_out.empty());
  const SyncReport report = sync({.run = SyncRun::apply, .missing_root = MissingRoot::accept});
  fs::permissions(path_of("sub"), fs::perms::owner_all);
  EXPECT_EQ(report.unjudged, 2U);
  ASSERT_EQ(report.unread.size(), 1U);
  EXPECT_EQ(report.unread[0].path, path_of("sub/"));
  EXPECT_EQ(report.kept, 2U);
  EXPECT_EQ(all().size(), 2U);
}

TEST_F(BadInputTest, SourcesInAFolderWhoseIgnoreFileCannotBeReadStay) {
  write(".gitignore", "*.log\n");
  for (const char* folder : {"dangling", "looping", "folder", "above/deep"}) {
    write(std::string(folder) + "/.gitignore", "!kept.log\n");
    write(std::string(folder) + "/kept.log", folder);
  }
  mine_project();
  for (const char* folder : {"dangling", "looping", "folder", "above/deep"})
    fs::remove(project() / folder / ".gitignore");
  fs::create_symlink("nowhere", path_of("dangling/.gitignore"));
  fs::create_symlink(".gitignore", path_of("looping/.lociignore"));
  fs::create_symlink(".lociignore", path_of("looping/.gitignore"));
  fs::create_directory(path_of("folder/.gitignore"));
  fs::create_directory(path_of("above/.gitignore"));
  expect_passed_over(PassReason::unreadable, 5);
  EXPECT_TRUE(mine_project().left_out.empty());
  const SyncReport report = sync({.run = SyncRun::apply});
  EXPECT_EQ(report.unjudged, 4U + 4U) << "the ignore files were sources, too";
  EXPECT_EQ(report.unread.size(), 5U);
  for (const char* folder : {"dangling", "looping", "folder", "above/deep"})
    EXPECT_EQ(text_of(std::string(folder) + "/kept.log"), folder);
  EXPECT_TRUE(mine_project({.path = project() / "above/deep"}).left_out.empty());
  fs::remove(path_of("above/.gitignore"));
  EXPECT_EQ(mine_project().left_out, std::vector{path_of("above/deep/kept.log")}) << "now it is known";
}

TEST_F(BadInputTest, AFolderThatClosesWhileItIsMinedLosesNothing) {
  write("closing/kept.md", "kept words");
  mine_project();
  write("closing/new.md", "new words");
  write("good.md", "good words");
  const WithoutPrivileges rights(project().parent_path());
  // Asked before each entry; before the last one the folder's files have all been found.
  const auto close_folder = [&, asked = 0]() mutable {
    if (++asked == 4) fs::permissions(path_of("closing"), fs::perms::none);
    return false;
  };
  const auto report =
      mine(&drawers(), {.path = project()}, {.progress = [](const MineProgress&) {}, .is_cancelled = close_folder});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(report->passed_over.count(PassReason::unreadable), 1U);
  const MineReport closed = mine_project();
  EXPECT_EQ(closed.passed_over.count(PassReason::unreadable), 1U) << "the folder itself";
  EXPECT_TRUE(closed.gone.empty());
  EXPECT_TRUE(closed.left_out.empty());
  EXPECT_EQ(text_of("closing/kept.md"), "kept words");
  EXPECT_EQ(text_of("good.md"), "good words");
  fs::permissions(path_of("closing"), fs::perms::owner_all);
  mine_project();
  EXPECT_EQ(text_of("closing/new.md"), "new words");
}

TEST_F(BadInputTest, AFileThatVanishesAfterItWasFoundIsToldOf) {
  write("a.md", "x");
  write("good.md", "good words");
  bool is_first = true;
  // The walk asks before each entry; by the second one the first was found.
  const auto vanish = [&] {
    if (!std::exchange(is_first, false)) fs::remove(path_of("a.md"));
    return false;
  };
  const auto report =
      mine(&drawers(), {.path = project()}, {.progress = [](const MineProgress&) {}, .is_cancelled = vanish});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->passed_over.count(PassReason::vanished), 1U);
  EXPECT_EQ(text_of("good.md"), "good words");
}

TEST_F(BadInputTest, MinifiedFilesLockFilesAndKeysArePassedOver) {
  write("a.min.js", "x");
  write("long.js", std::string(6'000, 'x'));
  write("yarn.lock", "x");
  write("id_rsa", "x");
  write("good.md", "good words");
  const MineReport report = mine_project();
  EXPECT_EQ(report.passed_over.count(PassReason::minified), 2U);
  EXPECT_EQ(report.passed_over.count(PassReason::lock_file), 1U);
  EXPECT_EQ(report.passed_over.count(PassReason::secret), 1U);
  EXPECT_EQ(all().size(), 1U);
}

TEST_F(BadInputTest, OurOwnPalaceIsPassedOver) {
  write("good.md", "good words");
  const MineReport report = mine_project({.path = project().parent_path()});
  EXPECT_EQ(report.passed_over.count(PassReason::own_store), 1U);
  EXPECT_EQ(all().size(), 1U);
}

TEST_F(BadInputTest, EmptyFilesAreKnownAndHaveNoDrawers) {
  write("empty.md", "");
  EXPECT_EQ(mine_project().added, 1U);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(drawers().sources("/")->size(), 1U);
}

TEST_F(BadInputTest, APathThatIsNotThereIsAnError) {
  const auto report = mine(&drawers(), {.path = project() / "nowhere"}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace loci::mining
