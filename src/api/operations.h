// The one table of operations, and how a face calls one of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "api/caller.h"
#include "api/json.h"
#include "api/operation.h"
#include "api/session.h"
#include "loci/result.h"
#include "store/contract.h"

namespace loci {

// The longest text that a field may have: what one drawer holds.
inline constexpr std::size_t kMaxTextBytes = kMaxDocumentBytes;

// In the order in which help shows them.
std::span<const Operation* const> operations();

// Null when there is none of that name.
const Operation* find_operation(std::string_view name);

// Checks the request, and refuses what writes when the session is read-only, before the operation runs. An error about
// a missing palace says which operations create one.
Result<Answer> call(Session& session, const Operation& operation, Json fields, Caller& caller);

// {"error": {"kind": "not_found", "message": "…"}}
Json error_to_json(const Error& error);

}  // namespace loci
