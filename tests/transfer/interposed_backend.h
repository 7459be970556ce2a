// A backend that asks before it writes: for tests of what happens when a store refuses or breaks in the middle.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "loci/backend.h"

namespace loci::transfer {

// Called with the records of each add and upsert; an error is returned instead of writing.
using BeforeWrite = std::function<Status(std::span<const Record>)>;

// All else is passed on to `inner`, which must outlive it.
std::unique_ptr<Backend> interpose(Backend& inner, BeforeWrite before_write);

}  // namespace loci::transfer
