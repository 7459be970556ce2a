#include "api/error_map.h"

namespace loci {
namespace {

struct ErrorCodes {
  ExitCode exit;
  int http;
  int json_rpc;
};

constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;

// A switch without default, so that a new kind does not compile before it has its codes.
ErrorCodes codes(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return {ExitCode::usage, 400, kInvalidParams};
    case ErrorKind::dimension_mismatch: return {ExitCode::failed, 409, -32010};
    case ErrorKind::embedder_mismatch: return {ExitCode::needs_attention, 409, -32011};
    case ErrorKind::unsupported_filter: return {ExitCode::usage, 400, kInvalidParams};
    case ErrorKind::unsupported_maintenance_kind: return {ExitCode::usage, 400, kInvalidParams};
    case ErrorKind::unsupported: return {ExitCode::failed, 501, -32012};
    case ErrorKind::palace_not_found: return {ExitCode::not_found, 404, -32013};
    case ErrorKind::collection_not_initialized: return {ExitCode::not_found, 404, -32014};
    case ErrorKind::not_found: return {ExitCode::not_found, 404, -32015};
    case ErrorKind::already_exists: return {ExitCode::failed, 409, -32016};
    case ErrorKind::backend_closed: return {ExitCode::failed, 503, -32017};
    case ErrorKind::version_mismatch: return {ExitCode::needs_attention, 409, -32018};
    case ErrorKind::busy: return {ExitCode::failed, 503, -32019};
    case ErrorKind::unavailable: return {ExitCode::failed, 503, -32007};
    case ErrorKind::io: return {ExitCode::failed, 500, -32008};
    case ErrorKind::corruption: return {ExitCode::needs_attention, 500, -32009};
    case ErrorKind::internal: return {ExitCode::failed, 500, kInternalError};
  }
  return {ExitCode::failed, 500, kInternalError};
}

}  // namespace

ExitCode exit_code(ErrorKind kind) { return codes(kind).exit; }

ExitCode exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::done: return ExitCode::done;
    case Outcome::not_found: return ExitCode::not_found;
    case Outcome::needs_attention: return ExitCode::needs_attention;
  }
  return ExitCode::failed;
}

int http_status(ErrorKind kind) { return codes(kind).http; }

int json_rpc_code(ErrorKind kind) { return codes(kind).json_rpc; }

}  // namespace loci
