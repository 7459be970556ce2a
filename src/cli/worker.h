// The background worker: this program again, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "api/session.h"
#include "cli/arguments.h"

namespace loci {

// Starts one if drawers wait for it. That it cannot be started is no failure of the command: `status` shows what waits,
// and `loci embed` does the same work.
void start_worker(Session& session, const GlobalOptions& globals);

// The command line of the worker for these settings; all paths are absolute, since it runs in another folder.
std::vector<std::string> worker_arguments(const Settings& settings, const GlobalOptions& globals);

}  // namespace loci
