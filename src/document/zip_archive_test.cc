#include "document/zip_archive.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "document/made_zip.h"

namespace loci {
namespace {

Result<std::string> read(const std::string& zip, const std::string& name, std::size_t limit = 1 << 20) {
  ZipArchive archive = TRY(ZipArchive::open(zip, limit));
  std::string content;
  TRY(archive.read(name, [&](std::string_view piece) -> Status {
    content += piece;
    return {};
  }));
  return content;
}

TEST(ZipArchiveTest, GivesTheContentOfAMember) {
  const std::string large(300'000, 'x');
  const std::string zip = make_zip({{"a.txt", "first"}, {"b/c.txt", large}, {"empty", ""}});
  EXPECT_EQ(read(zip, "a.txt").value(), "first");
  EXPECT_EQ(read(zip, "b/c.txt").value(), large);
  EXPECT_EQ(read(zip, "empty").value(), "");
  EXPECT_EQ(read(zip, "A.TXT").error().kind, ErrorKind::not_found);
}

TEST(ZipArchiveTest, FindsEachOfManyMembers) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 2'000; ++i) members.emplace_back("chapter" + std::to_string(i), std::to_string(i));
  const std::string zip = make_zip(members);
  ZipArchive archive = ZipArchive::open(zip, 1 << 20).value();
  for (const auto& [name, content] : members) {
    std::string found;
    const Status status = archive.read(name, [&found](std::string_view piece) -> Status {
      found += piece;
      return {};
    });
    ASSERT_TRUE(status.ok());
    ASSERT_EQ(found, content);
  }
}

TEST(ZipArchiveTest, UnpacksNoMoreThanItMay) {
  const std::string zip = make_zip({{"bomb", std::string(5'000'000, '\0')}});
  EXPECT_LT(zip.size(), 10'000U);
  EXPECT_EQ(read(zip, "bomb", 1'000'000).error().kind, ErrorKind::invalid_argument);
}

TEST(ZipArchiveTest, AnErrorOfTheReaderEndsTheReading) {
  const std::string zip = make_zip({{"a", std::string(500'000, 'x')}});
  ZipArchive archive = ZipArchive::open(zip, 1 << 20).value();
  int pieces = 0;
  const Status status = archive.read("a", [&](std::string_view) -> Status {
    ++pieces;
    return Error{ErrorKind::internal, "enough"};
  });
  EXPECT_EQ(status.error().message, "enough");
  EXPECT_EQ(pieces, 1);
}

TEST(ZipArchiveTest, ADamagedArchiveIsAnErrorOrGivesWhatItHad) {
  const std::string whole = make_zip({{"a", "some text that is long enough to be packed, long enough to be packed"}});
  const std::string content = read(whole, "a").value();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const Result<std::string> result = read(damaged, "a");
    EXPECT_TRUE(!result.ok() || *result == content) << i;
    static_cast<void>(read(whole.substr(0, i), "a"));
  }
  EXPECT_EQ(read("", "a").error().kind, ErrorKind::corruption);
}

}  // namespace
}  // namespace loci
