// What can follow `loci`: the operations, and a few commands that only a terminal needs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/operation.h"

namespace loci {

// Described like operations, so that help and completions come from one kind of entry; they have no `run`.
extern const Operation kHelpCommand;
extern const Operation kCompletionCommand;
extern const Operation kMcpCommand;    // a face of its own; see cli/face.h
extern const Operation kServeCommand;  // likewise

// The operations, then the commands of the terminal.
std::vector<const Operation*> commands();

// By the name as typed: "set-embedder". Null when there is none.
const Operation* find_command(std::string_view typed);

// Options that every command has, before or after its name. Those that an operation has as a field too, such as
// --collection of export, go to both.
std::span<const Field> global_options();

// "set_embedder" → "set-embedder".
std::string with_dashes(std::string_view name);

// "--on-conflict".
std::string option_name(const Field& field);

bool is_positional(const Field& field);

// Does a field of the command take its text from a file as well, with --file PATH?
const Field* field_from_file(const Operation& command);

// The option that does it. The field that it fills in is another one; this one only says what the option takes.
inline constexpr Field kFileOption = {
    .name = "file", .type = FieldType::path, .help = "take the text from a file", .placeholder = "PATH"};

// "WING" for --wing WING; empty for a boolean.
std::string placeholder(const Field& field);

}  // namespace loci
