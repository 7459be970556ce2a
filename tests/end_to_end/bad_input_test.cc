// Bad input gets a clear error and changes nothing.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

namespace fs = std::filesystem;

class BadInputTest : public EndToEndTest {
 protected:
  // Nothing at all was created.
  void expect_untouched() { EXPECT_FALSE(fs::exists(home())); }
};

TEST_F(BadInputTest, AMissingPalaceIsNamedAndNotCreated) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"status"},
                                             {"list"},
                                             {"get", "a"},
                                             {"search", "x"},
                                             {"update", "a", "--room", "r"},
                                             {"delete", "a"},
                                             {"delete", "--wing", "w"},
                                             {"export"},
                                             {"export", "--output", "f", "--collection", "c"},
                                             {"set-embedder", "--model", "m"},
                                             {"status", "--read-only"}}) {
    if (arguments[0] == "export" && arguments.size() == 1) continue;  // with --json it needs a file
    expect_failure(
        arguments, 3,
        "there is no palace at " + palace().string() + "; create one with init, add, mine, import, migrate or restore");
  }
  const Finished doctor = loci({"doctor"});
  EXPECT_EQ(doctor.exit_code, 3);
  EXPECT_NE(doctor.out.find("is not there"), std::string::npos) << doctor.out;
  expect_untouched();
  EXPECT_FALSE(fs::exists(folder() / "f"));
}

TEST_F(BadInputTest, AMissingCollectionIsAnotherErrorAndNotCreated) {
  ok({"init"});
  for (const char* command : {"list", "search", "get"}) {
    std::vector<std::string> arguments = {command, "--collection", "nope"};
    if (arguments[0] != "list") arguments.push_back("x");
    expect_failure(arguments, 3, "nope");
  }
  EXPECT_EQ(json({"status"}).at("collections").size(), 1U);
}

TEST_F(BadInputTest, MistypedCommandsAndOptionsCreateNothing) {
  expect_failure({"ad", "x"}, 2, "did you mean add?");
  expect_failure({"add", "x", "--wnig", "w"}, 2, "did you mean --wing?");
  expect_failure({"add", "x", "--backend", "nope"}, 2, "there is no backend \"nope\"");
  expect_failure({"add", "x", "--embedder", "nope"}, 2, "there is no embedder nope");
  expect_failure({"add", "x", "--collection", std::string(300, 'c')}, 2, "longer than 255 bytes");
  expect_failure({"add", "x", "--namespace", "n"}, 1, "namespace");
  expect_failure({"add", "x", "--read-only"}, 2, "read-only");
  expect_failure({"import", "nope.jsonl"}, 3, "nope.jsonl");
  expect_failure({"import", "."}, 2, "is a folder");
  expect_failure({"add", "--file", "nope.md"}, 3, "nope.md");
  expect_untouched();
}

TEST_F(BadInputTest, TextThatNoDrawerHoldsIsRefused) {
  expect_failure({"add", ""}, 2, "the document is empty");
  expect_failure({"add", "-"}, 2, "the document is empty", {.input = "\n \n"});
  expect_failure({"add", "\xff\xfe"}, 2, "TEXT is not valid UTF-8");
  expect_failure({"add", "-"}, 2, "document is not valid UTF-8", {.input = "a\xc3"});
  expect_failure({"add", "-"}, 2, "document has a NUL byte", {.input = std::string("a\0b", 3)});
  std::string long_text;
  long_text.resize(100'000'000, 'x');
  expect_failure({"add", "-"}, 2, "more than 64 MiB", {.input = long_text});
  expect_failure({"add", "--file", "/dev/zero"}, 2, "more than 64 MiB");
  expect_failure({"add", "--file", "/"}, 2, "is a folder");
  expect_untouched();
}

TEST_F(BadInputTest, IdsNamesAndMetadataAreChecked) {
  expect_failure({"add", "x", "--id", std::string(10'240, 'i')}, 2, "longer than 1024 bytes");
  expect_failure({"add", "x", "--id", ""}, 2, "id");
  expect_failure({"add", "x", "--wing", ""}, 2, "the name of the wing is empty");
  expect_failure({"add", "x", "--room", "a\nb"}, 2, "the name of the room has a line break");
  expect_failure({"add", "x", "--metadata", "{"}, 2, "--metadata is not usable JSON: line 1, column 2");
  expect_failure({"add", "x", "--metadata", "[]"}, 2, "metadata must be a JSON object");
  expect_failure({"add", "x", "--metadata", R"({"a": null})"}, 2, "\"a\"");
  expect_failure({"add", "x", "--metadata", R"({"a": {"b": 1}})"}, 2, "\"a\"");
  expect_failure({"add", "x", "--metadata", R"({"a": 1, "a": 2})"}, 2, "twice");
  expect_failure({"add", "x", "--metadata", R"({"a": "\u0000"})"}, 2, "NUL");
  expect_failure(
      {"add", "x", "--metadata", R"({"a": 99999999999999999999})"}, 2,
      "metadata does not take what is under \"a\": the number 99999999999999999999 does not fit into 64 bits");
  expect_failure({"add", "x", "--metadata", R"({"a": 12345678901234567890})"}, 2, "does not fit into 64 bits");
  expect_failure({"add", "x", "--wing", "v", "--metadata", R"({"wing": "w"})"}, 2, "another wing");
  expect_untouched();
}

TEST_F(BadInputTest, AnIdThatIsTakenKeepsItsText) {
  ok({"add", "first", "--id", "a"});
  expect_failure({"add", "second", "--id", "a"}, 1, "a");
  EXPECT_EQ(json({"get", "a"}).at("drawers").at(0).at("document"), "first");
}

TEST_F(BadInputTest, FiltersAreUnderstoodOrRefused) {
  ok({"add", "x", "--metadata", R"({"n": 1})"});
  for (const char* command : {"list", "delete", "search"}) {
    std::vector<std::string> words = {command};
    if (words[0] == "search") words.push_back("x");
    words.push_back("--where");
    const auto with = [&](const std::string& filter) {
      std::vector<std::string> arguments = words;
      arguments.push_back(filter);
      return arguments;
    };
    expect_failure(with(R"({"n": {"$regex": "x"}})"), 2, "$regex");
    expect_failure(with(R"({"$and": [{"n": 1}, {"$or": [{"n": 1}, {"n": {"$near": 2}}]}]})"), 2, "$near");
    expect_failure(with(R"({"$not": {"n": 1}})"), 2, "$not");
    expect_failure(with(R"({"n": {"$in": 1}})"), 2, "$in");
    expect_failure(with("[]"), 2, "where must be a JSON object");
    expect_failure(with("nope"), 2, "--where is not usable JSON");
  }
  EXPECT_EQ(json({"list"}).at("total"), 1);
}

TEST_F(BadInputTest, NumbersAreInRange) {
  ok({"init"});
  expect_failure({"list", "--limit", "0"}, 2, "limit is 0; the least is 1");
  expect_failure({"list", "--offset", "-1"}, 2, "offset is -1");
  expect_failure({"search", "x", "--limit", "1001"}, 2, "the most is 1000");
  expect_failure({"list", "--limit", "x"}, 2, "--limit must be a whole number");
  EXPECT_EQ(json({"list", "--limit", "9223372036854775807", "--offset", "9223372036854775807"}).at("count"), 0);
}

TEST_F(BadInputTest, APalaceThatIsNoFolderIsRefused) {
  write(folder() / "file", "mine");
  for (const char* palace : {"./file", "./file/below/it"}) {
    expect_failure({"add", "x", "--palace", palace}, 2, "is not a folder");
    expect_failure({"status", "--palace", palace}, 2, "is not a folder");
  }
  EXPECT_EQ(read(folder() / "file"), "mine");
  fs::create_symlink("loop", folder() / "loop");
  expect_failure({"add", "x", "--palace", "./loop"}, 1, "symbolic links go round in a circle");
  expect_failure({"status", "--palace", "./loop/below"}, 1, "symbolic links go round in a circle");
  fs::create_symlink("nowhere", folder() / "dangling");
  EXPECT_NE(loci({"status", "--palace", "./dangling"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder() / "nowhere"));
}

TEST_F(BadInputTest, ADatabaseThatIsNoneIsLeftAsItIs) {
  std::string random(100'000, '\0');
  unsigned state = 1;
  for (char& c : random) c = static_cast<char>((state = state * 1103515245 + 12345) >> 16);
  for (const std::string& content : {random, random.substr(0, 100), std::string(4096, '\0'), std::string("hello")}) {
    write(palace() / "palace.db", content);
    expect_failure({"status"}, 4, "palace.db");
    expect_failure({"add", "x"}, 4, "palace.db");
    EXPECT_EQ(loci({"doctor"}).exit_code, 4);
    EXPECT_EQ(listing(palace()), (std::map<std::string, std::string>{{"palace.db", content}}));
  }
}

TEST_F(BadInputTest, ATruncatedDatabaseIsLeftAsItIs) {
  for (int i = 0; i < 5; ++i) ok({"add", std::string(5000, static_cast<char>('a' + i))});
  const std::string whole = read(palace() / "palace.db");
  for (const std::size_t size : {whole.size() / 2, whole.size() / 4, std::size_t{5000}, std::size_t{50}}) {
    write(palace() / "palace.db", whole.substr(0, size));
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"status"}, {"add", "x"}}) {
      const Finished run = loci(arguments);
      EXPECT_EQ(run.exit_code, 4) << size << " bytes: " << run.err;
    }
    EXPECT_EQ(read(palace() / "palace.db"), whole.substr(0, size)) << size;
  }
}

TEST_F(BadInputTest, ADatabaseThatWasCutToNothingIsLeftAsItIs) {
  ok({"add", "x"});
  write(palace() / "palace.db", "");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"verify"}, {"repair", "--output", "saved"}}) {
    expect_failure(arguments, 4, "is empty: it was cut to nothing");
  }
  write(palace() / "palace.db-wal", "what was written last");
  const auto before = listing(palace());
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"status"}, {"add", "y"}, {"init"}, {"verify"}, {"restore", "no-backup"}, {"repair", "--output", "saved"}}) {
    const Finished run = loci(arguments);
    EXPECT_NE(run.exit_code, 0) << arguments[0];
    if (arguments[0] == "restore") continue;
    EXPECT_EQ(run.exit_code, 4) << arguments[0] << run.err;
    EXPECT_NE(run.err.find("cut to nothing"), std::string::npos) << arguments[0] << run.err;
  }
  EXPECT_EQ(listing(palace()), before);
}

TEST_F(BadInputTest, ANewerDatabaseIsRefusedAndLeftAsItIs) {
  ok({"add", "x"});
  std::string content = read(palace() / "palace.db");
  content[62] = 3;  // of the four bytes of SQLite's user_version, the highest first
  write(palace() / "palace.db", content);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"status"}, {"list"}, {"search", "x"}, {"add", "y"}, {"init"}}) {
    expect_failure(arguments, 4, "newer Loci");
  }
  EXPECT_EQ(listing(palace()), (std::map<std::string, std::string>{{"palace.db", content}}));
}

TEST_F(BadInputTest, DoctorLeavesAnOlderDatabaseAsItIs) {
  ok({"add", "x"});
  std::string content = read(palace() / "palace.db");
  --content[63];  // the lowest byte of SQLite's user_version
  write(palace() / "palace.db", content);
  const Finished doctor = loci({"doctor"});
  EXPECT_EQ(doctor.exit_code, 4);
  EXPECT_NE(doctor.out.find("older format"), std::string::npos) << doctor.out;
  EXPECT_EQ(listing(palace()), (std::map<std::string, std::string>{{"palace.db", content}}));
}

TEST_F(BadInputTest, AConfigurationThatDoesNotParseIsNamedWithItsLineAndLeftAlone) {
  const std::string broken = "{\n  \"collection\": \"notes\"\n  \"embedder\": \"none\"\n}\n";
  write(home() / "config.json", broken);
  expect_failure({"add", "x"}, 2, "config.json is not usable JSON: line 3, column 12");
  expect_failure({"status"}, 2, (home() / "config.json").string());
  EXPECT_EQ(loci({"doctor"}).exit_code, 4);
  EXPECT_EQ(listing(home()), (std::map<std::string, std::string>{{"config.json", broken}}));

  write(home() / "config.json", R"({"colection": "notes"})");
  expect_failure({"status"}, 2, "there is no setting \"colection\"; did you mean collection?");
  write(home() / "config.json", R"({"collection": ["notes"]})");
  expect_failure({"status"}, 2, "collection must be a text");
  fs::remove(home() / "config.json");

  ok({"init"});
  write(palace() / "palace.json", broken);
  expect_failure({"add", "x"}, 2, "palace.json is not usable JSON: line 3, column 12");
  expect_failure({"init", "--collection", "c"}, 2, "palace.json");
  EXPECT_EQ(read(palace() / "palace.json"), broken);
}

TEST_F(BadInputTest, AFolderThatMayNotBeWrittenIsReadButNotChanged) {
#ifdef LOCI_COUNTS_LINES
  GTEST_SKIP() << "a build that counts lines complains when another user may not write its counts";
#endif
  ok({"add", "some text", "--id", "a"});
  const RunOptions as_other = {.unprivileged = ::geteuid() == 0};
  fs::permissions(folder(), fs::perms(0755));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(home())) {
    fs::permissions(entry, entry.is_directory() ? fs::perms(0555) : fs::perms(0444));
  }
  fs::permissions(home(), fs::perms(0555));
  const auto before = listing(home());
  const Finished run = loci({"get", "a"}, as_other);
  if (run.exit_code == 126 || run.exit_code == 127)
    GTEST_SKIP() << "a user without privileges cannot reach the program";
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(loci({"search", "text"}, as_other).exit_code, 0);
  EXPECT_EQ(loci({"status"}, as_other).exit_code, 0);
  expect_failure({"add", "x"}, 1, "reading only", as_other);
  expect_failure({"delete", "a"}, 1, "reading only", as_other);
  expect_failure({"add", "x", "--palace", "new"}, 1, "permission denied", as_other);
  EXPECT_EQ(listing(home()), before);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(home())) {
    if (entry.is_directory()) fs::permissions(entry, fs::perms(0700));
  }
  fs::permissions(home(), fs::perms(0700));
}

TEST_F(BadInputTest, ReadOnlyCreatesNoFile) {
  ok({"add", "some text", "--id", "a"});
  const auto before = listing(home());
  EXPECT_NE(ok({"get", "a", "--read-only"}).find("some text"), std::string::npos);
  ok({"search", "text", "--read-only"});
  ok({"status", "--read-only"});
  ok({"list", "--read-only"});
  EXPECT_EQ(loci({"doctor", "--read-only"}).exit_code, 0);
  EXPECT_NE(loci({"export", "--read-only"}).out.find("some text"), std::string::npos);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"add", "x"},
                                             {"update", "a", "--room", "r"},
                                             {"delete", "a"},
                                             {"init"},
                                             {"import", "f"},
                                             {"export", "--output", "f"},
                                             {"backup", "f"},
                                             {"set-embedder", "--model", "m"}}) {
    std::vector<std::string> words = arguments;
    words.push_back("--read-only");
    expect_failure(words, 2, "read-only");
  }
  EXPECT_EQ(listing(home()), before);
  EXPECT_FALSE(fs::exists(folder() / "f"));
}

TEST_F(BadInputTest, AReadOnlyServerCreatesNoFile) {
  const Finished run =
      run_shell("timeout -s TERM 2 loci serve --listen 127.0.0.1:0 --read-only", {.working_folder = folder()}, home());
  EXPECT_NE(run.out.find("for this run only"), std::string::npos) << run.out << run.err;
  EXPECT_FALSE(fs::exists(home()));
}

// A small file system of its own, where the test may mount one.
class FullDiskTest : public BadInputTest {
 protected:
  void SetUp() override {
    fs::create_directories(disk());
    if (::mount("loci-test", disk().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0700") != 0) {
      GTEST_SKIP() << "this user may not mount a small file system";
    }
    is_mounted_ = true;
  }
  void TearDown() override {
    if (is_mounted_) ::umount2(disk().c_str(), MNT_DETACH);
  }
  fs::path disk() const { return folder() / "disk"; }

 private:
  bool is_mounted_ = false;
};

TEST_F(FullDiskTest, WhatDoesNotFitIsAnErrorAndTheRestStays) {
  const std::string palace = (disk() / "palace").string();
  ok({"add", "small", "--palace", palace, "--id", "a"});
  expect_failure({"add", "-", "--palace", palace, "--id", "b"}, 1, "disk", {.input = std::string(3'000'000, 'x')});
  EXPECT_EQ(json({"list", "--palace", palace}).at("total"), 1);
  expect_failure({"export", "--output", (disk() / "nope" / "f").string(), "--palace", palace}, 3, "nope");
  ok({"add", "still works", "--palace", palace, "--id", "c"});
  EXPECT_EQ(json({"search", "works", "--palace", palace}).at("hits").size(), 1U);

  write(disk() / "filler", std::string(4'000'000, 'f'));
  expect_failure({"add", "x", "--palace", (disk() / "new").string()}, 1, "the disk is full");
  expect_failure({"add", "x", "--palace", palace}, 1, "the disk is full");
  expect_failure({"delete", "a", "--palace", palace}, 1, "the disk is full");
  EXPECT_EQ(json({"list", "--palace", palace}).at("total"), 2);
  EXPECT_EQ(json({"search", "works", "--palace", palace}).at("hits").size(), 1U);
  EXPECT_EQ(json({"status", "--palace", palace}).at("drawers"), 2);
  ok({"export", "--output", (folder() / "rescued").string(), "--palace", palace});
  expect_failure({"export", "--output", (disk() / "out").string(), "--palace", palace}, 1, "disk");
  EXPECT_FALSE(fs::exists(disk() / "out"));
  fs::remove(disk() / "filler");
  ok({"delete", "a", "--palace", palace});
  ok({"add", "small", "--palace", palace, "--id", "a"});
  EXPECT_EQ(json({"list", "--palace", palace}).at("total"), 2);
}

}  // namespace
}  // namespace loci::end_to_end
