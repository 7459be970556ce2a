// With what the program ends. Pure functions; any thread may call them.
#pragma once

#include "api/operation.h"
#include "loci/result.h"

namespace loci {

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

}  // namespace loci
