#include "base/filter_process.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

FilterRun shell(std::string script, std::string_view input = {}) {
  return {.command = {"sh", "-c", std::move(script)},
          .input = input,
          .output_bytes = 1'000'000,
          .memory_bytes = std::size_t{1} << 30,
          .seconds = 30};
}

TEST(FilterProcessTest, GivesWhatTheProgramWrites) {
  const std::string input(300'000, 'x');
  EXPECT_EQ(run_filter(shell("cat; echo end; echo noise >&2", input)).value(), input + "end\n");
}

TEST(FilterProcessTest, AMissingProgramIsNotFound) {
  EXPECT_EQ(run_filter({.command = {"no-such-program-here"}}).error().kind, ErrorKind::not_found);
}

TEST(FilterProcessTest, AProgramThatFailsOrDiesIsAnError) {
  EXPECT_EQ(run_filter(shell("echo half; exit 3")).error().kind, ErrorKind::corruption);
  EXPECT_EQ(run_filter(shell("kill -SEGV $$")).error().kind, ErrorKind::corruption);
}

TEST(FilterProcessTest, EndsWhatWritesTooMuchOrTakesTooLong) {
  FilterRun endless = shell("while :; do echo xxxxxxxxxxxxxxxxxxxx; done");
  EXPECT_EQ(run_filter(endless).error().kind, ErrorKind::invalid_argument);
  FilterRun slow = shell("exec sleep 100");
  slow.seconds = 1;
  EXPECT_EQ(run_filter(slow).error().kind, ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace loci
