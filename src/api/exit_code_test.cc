#include "api/exit_code.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(ExitCodeTest, TheyAreThoseOfTheManual) {
  EXPECT_EQ(exit_code(ErrorKind::invalid_argument), ExitCode::usage);
  EXPECT_EQ(exit_code(ErrorKind::unsupported_filter), ExitCode::usage);
  EXPECT_EQ(exit_code(ErrorKind::palace_not_found), ExitCode::not_found);
  EXPECT_EQ(exit_code(ErrorKind::collection_not_initialized), ExitCode::not_found);
  EXPECT_EQ(exit_code(ErrorKind::not_found), ExitCode::not_found);
  EXPECT_EQ(exit_code(ErrorKind::corruption), ExitCode::needs_attention);
  EXPECT_EQ(exit_code(ErrorKind::embedder_mismatch), ExitCode::needs_attention);
  EXPECT_EQ(exit_code(ErrorKind::io), ExitCode::failed);
  EXPECT_EQ(exit_code(Outcome::done), ExitCode::done);
  EXPECT_EQ(exit_code(Outcome::not_found), ExitCode::not_found);
  EXPECT_EQ(exit_code(Outcome::needs_attention), ExitCode::needs_attention);
}

TEST(ExitCodeTest, NoErrorIsASuccess) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    const auto typed = static_cast<ErrorKind>(kind);
    EXPECT_NE(exit_code(typed), ExitCode::done) << to_string(typed);
  }
}

}  // namespace
}  // namespace loci
