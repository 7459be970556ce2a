#include "http/token_file.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci::http {
namespace {

class TokenFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "home" / "http_token";
};

TEST_F(TokenFileTest, MakesATokenOnceAndKeepsItPrivate) {
  const auto first = load_token(path_, KeepToken::yes);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_TRUE(first->is_new);
  EXPECT_EQ(first->token.size(), 64U);
  struct stat found = {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);

  const auto second = load_token(path_, KeepToken::yes);
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(second->token, first->token);
}

TEST_F(TokenFileTest, GivesAllWhoStartAtOnceTheSameToken) {
  std::vector<std::string> tokens(8);
  std::vector<std::thread> threads;
  for (std::string& token : tokens) threads.emplace_back([&] { token = load_token(path_, KeepToken::yes)->token; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(tokens.begin(), tokens.end()).size(), 1U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_.parent_path()), {}), 1) << "nothing is left aside";
}

TEST_F(TokenFileTest, RefusesAFileThatOthersMayRead) {
  ASSERT_TRUE(load_token(path_, KeepToken::yes).ok());
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  const auto token = load_token(path_, KeepToken::yes);
  ASSERT_FALSE(token.ok());
  EXPECT_EQ(token.error().kind, ErrorKind::invalid_argument);
}

TEST_F(TokenFileTest, RefusesAFileThatHoldsNoToken) {
  ASSERT_TRUE(make_private_folder(path_.parent_path()).ok());
  for (const char* content : {"", "short", "0123456789012345678901234567890123456789 with blanks"}) {
    ASSERT_TRUE(write_file_atomically(path_, content).ok());
    EXPECT_FALSE(load_token(path_, KeepToken::yes).ok()) << content;
  }
}

TEST_F(TokenFileTest, FollowsNoSymbolicLink) {
  ASSERT_TRUE(make_private_folder(path_.parent_path()).ok());
  std::filesystem::create_symlink("elsewhere", path_);
  EXPECT_FALSE(load_token(path_, KeepToken::yes).ok());
}

}  // namespace
}  // namespace loci::http
