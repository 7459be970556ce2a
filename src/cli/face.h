// What the command line hands to a face that goes on by itself, such as `loci mcp`. The command is described here,
// among the commands; main.cc, which knows all faces, says what runs it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/json.h"
#include "api/session.h"
#include "loci/result.h"

namespace loci {

struct FaceStart {
  Session& session;
  const Json& fields;                  // the options of the command, checked; absent ones have their defaults
  std::function<void()> start_worker;  // call it after texts were stored: they get their vectors in the background
};

// Runs until the face is done. An error is shown as that of any other command.
using RunFace = std::function<Status(const FaceStart& start)>;

struct Face {
  std::string_view command;  // "mcp"
  RunFace run;
};

}  // namespace loci
