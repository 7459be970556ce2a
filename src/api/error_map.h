// What each kind of error is called by the faces. Pure functions; any thread may call them.
#pragma once

#include "api/operation.h"
#include "loci/result.h"

namespace loci {

// Exit codes of the program.
enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,            // the request makes no sense; nothing was tried
  not_found = 3,        // a palace, collection or drawer is not there
  needs_attention = 4,  // the palace is there, and a person must mend or decide something
  interrupted = 130,
};

ExitCode exit_code(ErrorKind kind);
ExitCode exit_code(Outcome outcome);

int http_status(ErrorKind kind);

// JSON-RPC's own codes where they fit; the others are in the range left to servers.
int json_rpc_code(ErrorKind kind);

}  // namespace loci
