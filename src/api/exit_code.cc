#include "api/exit_code.h"

namespace loci {

// Switches without default, so that a new kind does not compile before it has its code.
ExitCode exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
    case ErrorKind::unsupported_filter:
    case ErrorKind::unsupported_maintenance_kind: return ExitCode::usage;
    case ErrorKind::palace_not_found:
    case ErrorKind::collection_not_initialized:
    case ErrorKind::not_found: return ExitCode::not_found;
    case ErrorKind::embedder_mismatch:
    case ErrorKind::version_mismatch:
    case ErrorKind::corruption: return ExitCode::needs_attention;
    case ErrorKind::dimension_mismatch:
    case ErrorKind::unsupported:
    case ErrorKind::already_exists:
    case ErrorKind::backend_closed:
    case ErrorKind::busy:
    case ErrorKind::unavailable:
    case ErrorKind::io:
    case ErrorKind::internal: return ExitCode::failed;
  }
  return ExitCode::failed;
}

ExitCode exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::done: return ExitCode::done;
    case Outcome::not_found: return ExitCode::not_found;
    case Outcome::needs_attention: return ExitCode::needs_attention;
  }
  return ExitCode::failed;
}

}  // namespace loci
