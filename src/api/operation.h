// One thing a user can ask for. The CLI command, the MCP tool and the HTTP route of an operation are made from its
// entry in the table (api/operations.cc), so that a new operation appears in all of them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/json.h"
#include "loci/result.h"

namespace loci {

class Caller;
class Request;
class Session;

enum class FieldType {
  text,
  integer,
  number,
  boolean,
  text_list,
  object,  // JSON; on the command line as text
  path,    // of a file or folder on the machine that runs the operation
};

enum class OnCommandLine {
  option,      // --name VALUE, or --name alone for a boolean
  positional,  // by its place; a text_list takes all that are left
  // As positional or option, and the value may also come from standard input ("-") or from a file (--file PATH).
  positional_or_file,
  option_or_file,
};

// One parameter of an operation. Constant data: views are of literals.
struct Field {
  std::string_view name;  // "on_conflict" in JSON, --on-conflict on the command line
  FieldType type = FieldType::text;
  std::string_view help = {};  // a phrase: "only drawers of this wing"
  OnCommandLine on_command_line = OnCommandLine::option;
  bool is_required = false;
  std::string_view default_value = {};  // as JSON text; empty: none
  std::span<const std::string_view> choices = {};
  std::optional<std::int64_t> minimum = {};  // of an integer
  std::optional<std::int64_t> maximum = {};
  std::string_view placeholder = {};  // "WING" in `--wing WING`; empty: made from the type
};

// What a call may do to the palace or to other files, for the faces to announce and for --read-only to refuse.
enum class Effect { reads, writes, destroys };
enum class CreatesPalace { no, yes };
// Does it read or write files that the caller names? Only faces whose caller owns this machine's files may offer it.
enum class NamesFiles { no, yes };

// Does it store texts that need vectors? Faces start the background worker after it, and where an answer asks for it.
enum class StoresTexts { no, yes };

struct Example {
  std::string_view arguments;  // as typed after "loci "
  std::string_view purpose;
};

// How a call that is no error ended.
enum class Outcome {
  done,
  not_found,        // some of what was asked for is not there; the answer says which
  needs_attention,  // a person should look at the answer
};
struct Answer {
  Json body;
  Outcome outcome = Outcome::done;
  bool is_streamed = false;   // what was asked for went through Caller::output; the body only says how much it was
  bool wants_worker = false;  // the call met something that the background can mend
};

struct Operation {
  std::string_view name;     // "search": `loci search`, MCP tool `loci_search`, POST /v1/search
  std::string_view summary;  // one sentence, shown by --help and by tools/list
  std::span<const Field> fields = {};
  std::span<const Example> examples = {};
  Effect effect = Effect::reads;  // the most that a call may do
  CreatesPalace creates_palace = CreatesPalace::no;
  NamesFiles names_files = NamesFiles::no;
  Effect (*effect_of)(const Request& request) = nullptr;  // of one call, where some do less than others
  std::string_view reads_when = {};                       // how such a call is made that only reads: "without --apply"
  StoresTexts stores_texts = StoresTexts::no;
  Result<Answer> (*run)(Session& session, const Request& request, Caller& caller) = nullptr;
};

const Field* find_field(const Operation& operation, std::string_view name);

// The request as a JSON schema.
Json request_schema(const Operation& operation);

}  // namespace loci
