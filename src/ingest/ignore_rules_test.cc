#include "ingest/ignore_rules.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

bool is_ignored(std::string_view lines, std::string_view path, EntryKind kind = EntryKind::file) {
  return verdict_of(parse_ignore_lines(lines), path, kind).value_or(false);
}

TEST(IgnorePatternTest, ANameMatchesAtAnyDepth) {
  EXPECT_TRUE(is_ignored("*.log", "a.log"));
  EXPECT_TRUE(is_ignored("*.log", "deep/in/a.log"));
  EXPECT_FALSE(is_ignored("*.log", "a.log.txt"));
}

TEST(IgnorePatternTest, ASlashAnchorsThePattern) {
  EXPECT_TRUE(is_ignored("/a", "a"));
  EXPECT_FALSE(is_ignored("/a", "b/a"));
  EXPECT_TRUE(is_ignored("doc/*.txt", "doc/a.txt"));
  EXPECT_FALSE(is_ignored("doc/*.txt", "doc/sub/a.txt"));
  EXPECT_FALSE(is_ignored("doc/*.txt", "x/doc/a.txt"));
}

TEST(IgnorePatternTest, ASlashAtTheEndMeansFolders) {
  EXPECT_TRUE(is_ignored("out/", "x/out", EntryKind::folder));
  EXPECT_FALSE(is_ignored("out/", "x/out", EntryKind::file));
}

TEST(IgnorePatternTest, TwoStarsMatchAnyNumberOfFolders) {
  EXPECT_TRUE(is_ignored("**/foo", "foo"));
  EXPECT_TRUE(is_ignored("**/foo", "a/b/foo"));
  EXPECT_TRUE(is_ignored("a/**/b", "a/b"));
  EXPECT_TRUE(is_ignored("a/**/b", "a/x/y/b"));
  EXPECT_TRUE(is_ignored("a/**", "a/x/y"));
  EXPECT_FALSE(is_ignored("a/**", "a"));
}

TEST(IgnorePatternTest, TheLastLineThatMatchesWins) {
  EXPECT_FALSE(is_ignored("*.md\n!keep.md", "keep.md"));
  EXPECT_TRUE(is_ignored("!keep.md\n*.md", "keep.md"));
}

TEST(IgnorePatternTest, EscapesAndCommentsAreReadAsGitReadsThem) {
  EXPECT_FALSE(is_ignored("# a", "# a"));
  EXPECT_TRUE(is_ignored("\\#a", "#a"));
  EXPECT_TRUE(is_ignored("\\!a", "!a"));
  EXPECT_TRUE(is_ignored("a\\*", "a*"));
  EXPECT_FALSE(is_ignored("a\\*", "ab"));
  EXPECT_TRUE(is_ignored("a   ", "a"));
  EXPECT_TRUE(is_ignored("a\\ ", "a "));
  EXPECT_TRUE(is_ignored("\xEF\xBB\xBFmarked\r\nnext\r\n", "marked"));
}

TEST(IgnorePatternTest, BracketsMatchOneOfTheirCharacters) {
  EXPECT_TRUE(is_ignored("[a-c].txt", "b.txt"));
  EXPECT_FALSE(is_ignored("[!a-c].txt", "b.txt"));
  EXPECT_TRUE(is_ignored("[^a-c].txt", "x.txt"));
  EXPECT_TRUE(is_ignored("[]x]", "]"));
  EXPECT_TRUE(is_ignored("v[[:digit:]]", "v7"));
  EXPECT_FALSE(is_ignored("v[[:digit:]]", "vx"));
  EXPECT_FALSE(is_ignored("a[", "a["));
}

TEST(IgnorePatternTest, ManyStarsDoNotTakeForever) {
  std::string glob;
  for (int i = 0; i < 30; ++i) glob += "*a";
  std::string text(2'000, 'a');
  text += 'b';
  EXPECT_FALSE(glob_matches(glob, text));
}

TEST(IgnoreRulesTest, AFileNearerToTheEntryWins) {
  IgnoreRules rules;
  rules.enter("", {"*.txt\n/only_here"});
  rules.enter("sub", {"!keep.txt"});
  EXPECT_TRUE(rules.is_ignored("sub/a.txt", EntryKind::file));
  EXPECT_FALSE(rules.is_ignored("sub/keep.txt", EntryKind::file));
  EXPECT_FALSE(rules.is_ignored("sub/only_here", EntryKind::file));
  rules.leave();
  EXPECT_TRUE(rules.is_ignored("keep.txt", EntryKind::file));
  EXPECT_TRUE(rules.is_ignored("only_here", EntryKind::file));
}

TEST(IgnoreRulesTest, LociignoreIsStrongerThanGitignore) {
  IgnoreRules rules;
  rules.enter("", {"*.md", "!*.md"});
  EXPECT_FALSE(rules.is_ignored("a.md", EntryKind::file));
}

// Random patterns over a fixed tree, compared with what git says of each path.
class GitComparison {
 public:
  explicit GitComparison(unsigned seed) : random_(seed) {
    for (const char* folder : {"a", "a/b", "b", "b/a", "b/a/c", "c-1"}) fs::create_directories(folder_.path() / folder);
    for (const char* folder : {"", "a", "a/b", "b", "b/a", "b/a/c", "c-1"}) {
      for (const char* name : {"a.txt", "ab", "b.log", "[x]", "c-1.md"}) {
        const std::string path = (*folder == 0 ? "" : std::string(folder) + "/") + name;
        files_.push_back(path);
        std::ofstream(folder_.path() / path) << "x";
      }
    }
  }

  bool start_git() const { return run("init -q . 2>/dev/null") == 0; }

  void write_patterns() {
    root_ = pattern_lines();
    nested_ = pattern_lines();
    std::ofstream(folder_.path() / ".gitignore") << root_;
    std::ofstream(folder_.path() / "b/.gitignore") << nested_;
  }

  std::set<std::string> ignored_by_git() const {
    std::ofstream list(folder_.path() / ".git/list");
    for (const std::string& path : files_) list << path << '\n';
    list.close();
    static_cast<void>(run("-c core.excludesFile= check-ignore --no-index --stdin < .git/list > .git/found"));
    std::ifstream found(folder_.path() / ".git/found");
    std::set<std::string> ignored;
    for (std::string line; std::getline(found, line);) ignored.insert(line);
    return ignored;
  }

  std::set<std::string> ignored_by_us() const {
    std::set<std::string> ignored;
    for (const std::string& path : files_) {
      IgnoreRules rules;
      rules.enter("", {root_});
      bool is_out = false;
      for (std::size_t slash = path.find('/'); slash != std::string::npos && !is_out;
           slash = path.find('/', slash + 1)) {
        is_out = rules.is_ignored(path.substr(0, slash), EntryKind::folder);
        if (path.substr(0, slash) == "b") rules.enter("b", {nested_});
      }
      if (is_out || rules.is_ignored(path, EntryKind::file)) ignored.insert(path);
    }
    return ignored;
  }

  std::string patterns() const { return "root:\n" + root_ + "b:\n" + nested_; }

 private:
  int run(const std::string& arguments) const {
    return std::system(("cd '" + folder_.path().string() + "' && git " + arguments).c_str());
  }

  std::string pattern_lines() {
    static constexpr const char* kParts[] = {"a",           "b",       "c",    "*",  "**",   "/",     "/",
                                             "?",           ".txt",    ".log", "-1", "ab",   "[a-b]", "[!a]",
                                             "[[:alpha:]]", "\\[x\\]", "\\",   "!",  "*.md", "["};
    std::string lines;
    for (int line = 0; line < 4; ++line) {
      if (random_() % 4 == 0) lines += '!';
      const auto parts = 1 + random_() % 5;
      for (unsigned long i = 0; i < parts; ++i) lines += kParts[random_() % std::size(kParts)];
      lines += '\n';
    }
    return lines;
  }

  TemporaryFolder folder_;
  std::mt19937 random_;
  std::vector<std::string> files_;
  std::string root_;
  std::string nested_;
};

TEST(IgnoreRulesTest, AgreesWithGitOnRandomPatterns) {
  if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "git is not there";
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  GitComparison comparison(seed);
  ASSERT_TRUE(comparison.start_git());
  for (int round = 0; round < 120; ++round) {
    comparison.write_patterns();
    ASSERT_EQ(comparison.ignored_by_us(), comparison.ignored_by_git()) << comparison.patterns();
  }
}

}  // namespace
}  // namespace loci
