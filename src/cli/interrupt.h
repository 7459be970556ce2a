// Ctrl-C, and pipes whose reader has gone. Everything that Loci writes is whole or absent at any instant, so most work
// may simply end. Work that would leave an unfinished file behind asks between its steps whether it should go on, and
// gets the time to clean up.
#pragma once

#include <string>

#include "base/stop_time.h"

namespace loci {

// From now on SIGINT and SIGTERM end the process with 130 (or 143), unless await_interrupt() was called, and SIGPIPE
// ends it as it does other tools. Soon after a signal that is awaited the time of `stop` comes, which must outlive
// all work: whoever waits for a server then waits no longer.
void install_interrupt_handlers(StopTime& stop);

// The first signal only sets a flag, for work that asks was_interrupted() often; the second ends the process.
void await_interrupt();

bool was_interrupted();

// What a signal that ends the process at once leaves on the standard output: the one answer that a script waits for.
// Empty: nothing, as from the moment on at which something else is written there.
void answer_on_interrupt(std::string answer);

}  // namespace loci
