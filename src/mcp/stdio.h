// The transport for a client that started us: one message a line, in on standard input, out on standard output.
#pragma once

#include <chrono>
#include <functional>

#include "loci/result.h"
#include "mcp/features.h"

namespace loci::mcp {

struct StdioOptions {
  int input = 0;  // open files, which stay open
  int output = 1;
  // After the end of the input, how long to wait for somebody to read what is written.
  std::chrono::milliseconds patience = std::chrono::seconds(2);
  std::function<void()> after_first_message = {};  // work that no first answer should wait for
  std::function<void()> at_end_of_input = {};      // before what has come by then is waited for
};

// Serves until the input ends: quick requests that have come by then are answered, long ones cancelled. What nobody
// reads then is dropped. Nothing but messages is ever written. Errors: io, when the input cannot be read.
Status serve_stdio(Features& features, const StdioOptions& options);

}  // namespace loci::mcp
