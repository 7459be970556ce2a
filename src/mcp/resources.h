// What the palace holds as resources: loci://wing/…, loci://room/…/…, loci://source/… and loci://drawer/….
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/call.h"
#include "mcp/operation_runner.h"
#include "mcp/protocol.h"

namespace loci::mcp {

// The parts of a uri of ours, decoded: {"room", "shop", "api"}. Nothing for any other text. They are names in the
// palace and never paths.
std::optional<std::vector<std::string>> parse_uri(std::string_view uri);
// The opposite.
std::string make_uri(const std::vector<std::string>& parts);

// Many threads may use it at once.
class Resources {
 public:
  explicit Resources(OperationRunner& runner) : runner_(runner) {}

  // Wings and rooms; drawers and sources are too many for a list and are found by search, by the templates, or in a
  // room.
  Reply list(Call& call);
  static Json templates();
  // Has it the form of one of the templates?
  static bool is_ours(const std::string& uri);
  Reply read(const std::string& uri, Call& call);
  // Values of an argument of a template or prompt that begin with, or for sources contain, what is there so far.
  Reply complete(const std::string& argument, const std::string& value, const Json& context, Call& call);

 private:
  Reply read_drawer(const std::string& uri, const std::string& id, Call& call);
  Reply read_listing(const std::string& uri, Json scope, Call& call);
  struct KnownNames {
    std::vector<std::string> names = {};
    bool are_all = true;  // false: there are too many drawers to look at each
  };
  KnownNames known_names(const std::string& argument, const std::string& value, const Json& context, Call& call);

  OperationRunner& runner_;
};

}  // namespace loci::mcp
