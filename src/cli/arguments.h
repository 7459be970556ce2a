// From the words of a command line to a request.
//
// A reader of our own instead of a library: all it must know is in the table of fields, and texts and ids must arrive
// as they were typed. (CLI11 2.1 splits an argument "[a,b]" in two and lets `--room= x` take x as the room.)
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/json.h"
#include "api/operation.h"
#include "api/settings.h"
#include "loci/result.h"

namespace loci {

struct GlobalOptions {
  SettingsLayer settings = {};
  std::optional<std::string> configuration_file = {};
  bool json = false;
  bool read_only = false;
  bool force_model_swap = false;
  bool help = false;
  bool version = false;
};

// A text that is yet to be read: the content of a file, or of the standard input ("-").
struct TextSource {
  std::string_view field;
  std::string path;
};

struct CommandLine {
  const Operation* command = nullptr;  // null: none was given
  Json fields = Json::object();
  std::optional<TextSource> text_from = {};
  GlobalOptions globals = {};
};

// Errors: invalid_argument: an unknown command or option (with the nearest known one), a value that is missing, given
// twice or of the wrong type, a required field that is not there.
Result<CommandLine> parse_arguments(std::span<const std::string> arguments);

// Did the user ask for JSON? Also answers for a command line that does not parse.
bool asks_for_json(std::span<const std::string> arguments);

}  // namespace loci
