// What migrate and verify --against share.
#pragma once

#include "api/caller.h"
#include "api/operation.h"
#include "api/request.h"
#include "api/session.h"
#include "loci/result.h"

namespace loci {

// The answer of `verify --against`: the request's fields `against` and `from`.
Result<Answer> verify_against(Session& session, const Request& request, Caller& caller);

}  // namespace loci
