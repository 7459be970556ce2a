#include "cli/commands.h"

#include <algorithm>

#include "api/operations.h"

namespace loci {
namespace {

constexpr Field kHelpFields[] = {
    {.name = "command",
     .help = "the command to explain",
     .on_command_line = OnCommandLine::positional,
     .placeholder = "COMMAND"},
};
constexpr Example kHelpExamples[] = {{"help search", "options and examples of a command"}};

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
constexpr Field kCompletionFields[] = {
    {.name = "shell",
     .help = "bash, zsh or fish",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .choices = kShells,
     .placeholder = "SHELL"},
};
constexpr Example kCompletionExamples[] = {
    {"completion bash > ~/.local/share/bash-completion/completions/loci", "for bash"},
    {"completion zsh > ~/.zfunc/_loci", "for zsh, with ~/.zfunc in $fpath"},
    {"completion fish > ~/.config/fish/completions/loci.fish", "for fish"},
};

constexpr std::string_view kToolSets[] = {"loci", "mempalace", "memtomem"};
constexpr Field kMcpFields[] = {
    {.name = "tools",
     .help = "whose tools to offer: loci, mempalace or memtomem",
     .default_value = "\"loci\"",
     .choices = kToolSets,
     .placeholder = "NAME"},
};
constexpr Example kMcpExamples[] = {
    {"mcp", "what an MCP client runs"},
    {"mcp --tools mempalace", "with the tool names that MemPalace's prompts and skills know"},
    {"mcp --palace work --read-only", "another palace, and nothing is ever written"},
};

constexpr Field kServeFields[] = {
    {.name = "listen",
     .help = "where: an address of this machine and a port, 0 for any that is free",
     .default_value = "\"127.0.0.1:8765\"",
     .placeholder = "HOST:PORT"},
    {.name = "no_token",
     .type = FieldType::boolean,
     .help = "let every program of this machine ask, without a token",
     .default_value = "false"},
    kMcpFields[0],
};
constexpr Example kServeExamples[] = {
    {"serve", "for all MCP clients of this machine"},
    {"serve --listen 127.0.0.1:0", "at any free port; the first line says which"},
};

constexpr Field kGlobalOptions[] = {
    {.name = "palace",
     .type = FieldType::path,
     .help = "the palace: a folder, a name without a slash for one in LOCI_HOME, or a Chroma server's address",
     .placeholder = "PATH|NAME|URL"},
    {.name = "backend", .help = "the storage backend", .placeholder = "NAME"},
    {.name = "collection", .help = "the collection of drawers", .placeholder = "NAME"},
    {.name = "namespace", .help = "the namespace, for backends that have them", .placeholder = "NAME"},
    {.name = "embedder",
     .help = "what turns texts into vectors: none, minilm, ollama:MODEL, openai:MODEL, …",
     .placeholder = "NAME"},
    {.name = "embedder_url", .help = "the address of the embedding server", .placeholder = "URL"},
    {.name = "no_embed",
     .type = FieldType::boolean,
     .help = "leave new texts without vectors until `loci embed` is run"},
    {.name = "config", .type = FieldType::path, .help = "another configuration file", .placeholder = "FILE"},
    {.name = "json", .type = FieldType::boolean, .help = "answer with one JSON document"},
    {.name = "read_only", .type = FieldType::boolean, .help = "create and change no file"},
    {.name = "force_model_swap",
     .type = FieldType::boolean,
     .help = "go on with another embedding model than the stored one, and log it"},
    {.name = "help", .type = FieldType::boolean, .help = "explain the command"},
    {.name = "version", .type = FieldType::boolean, .help = "say which version this is"},
};

}  // namespace

constexpr Operation kHelpCommand = {
    .name = "help",
    .summary = "Explain Loci, or one command.",
    .fields = kHelpFields,
    .examples = kHelpExamples,
};
constexpr Operation kCompletionCommand = {
    .name = "completion",
    .summary = "Print a completion script for a shell.",
    .fields = kCompletionFields,
    .examples = kCompletionExamples,
};

constexpr Operation kMcpCommand = {
    .name = "mcp",
    .summary = "Serve the palace to an MCP client over standard input and output.",
    .fields = kMcpFields,
    .examples = kMcpExamples,
    .effect = Effect::writes,
};

constexpr Operation kServeCommand = {
    .name = "serve",
    .summary = "Serve the palace to the MCP clients of this machine over HTTP.",
    .fields = kServeFields,
    .examples = kServeExamples,
    .effect = Effect::writes,
};

std::vector<const Operation*> commands() {
  std::vector<const Operation*> all(operations().begin(), operations().end());
  all.push_back(&kMcpCommand);
  all.push_back(&kServeCommand);
  all.push_back(&kCompletionCommand);
  all.push_back(&kHelpCommand);
  return all;
}

const Operation* find_command(std::string_view typed) {
  for (const Operation* command : commands()) {
    if (with_dashes(command->name) == typed) return command;
  }
  return nullptr;
}

std::span<const Field> global_options() { return kGlobalOptions; }

std::string with_dashes(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed;
}

std::string option_name(const Field& field) { return "--" + with_dashes(field.name); }

bool is_positional(const Field& field) {
  return field.on_command_line == OnCommandLine::positional ||
         field.on_command_line == OnCommandLine::positional_or_file;
}

const Field* field_from_file(const Operation& command) {
  for (const Field& field : command.fields) {
    if (field.on_command_line == OnCommandLine::positional_or_file ||
        field.on_command_line == OnCommandLine::option_or_file) {
      return &field;
    }
  }
  return nullptr;
}

std::string placeholder(const Field& field) {
  if (!field.placeholder.empty()) return std::string(field.placeholder);
  switch (field.type) {
    case FieldType::boolean: return "";
    case FieldType::integer:
    case FieldType::number: return "N";
    case FieldType::object: return "JSON";
    case FieldType::path: return "PATH";
    case FieldType::text:
    case FieldType::text_list: return "TEXT";
  }
  return "TEXT";
}

}  // namespace loci
