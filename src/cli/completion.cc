#include "cli/completion.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace loci {
namespace {

// All options that may follow the command: its own first, then those that every command has.
std::vector<Field> options_of(const Operation& command) {
  std::vector<Field> options;
  for (const Field& field : command.fields) {
    if (!is_positional(field)) options.push_back(field);
  }
  if (field_from_file(command) != nullptr) options.push_back(kFileOption);
  for (const Field& field : global_options()) {
    if (find_field(command, field.name) == nullptr) options.push_back(field);
  }
  return options;
}

const Field* first_positional(const Operation& command) {
  const auto found = std::find_if(command.fields.begin(), command.fields.end(), is_positional);
  return found == command.fields.end() ? nullptr : &*found;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

std::string choices_of(const Field& field) {
  std::vector<std::string> words(field.choices.begin(), field.choices.end());
  return join(words, " ");
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Operation* command : commands()) names.push_back(with_dashes(command->name));
  return names;
}

// What a shell's single quotes hold.
std::string quoted_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// For a description within _arguments' [ ].
std::string escaped_for_zsh(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_action(const Field& field) {
  if (field.type == FieldType::boolean) return "";
  std::string action = ":" + escaped_for_zsh(placeholder(field)) + ":";
  if (!field.choices.empty()) return action + "(" + choices_of(field) + ")";
  return action + (field.type == FieldType::path ? "_files" : "");
}

// The options that take a value, with what may follow: each option once, whatever commands have it.
std::string bash_value_cases() {
  std::vector<std::string> paths;
  std::vector<std::string> others;
  std::string choices;
  std::vector<std::string> seen;
  for (const Operation* command : commands()) {
    for (const Field& field : options_of(*command)) {
      const std::string name = option_name(field);
      if (field.type == FieldType::boolean || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      if (!field.choices.empty()) {
        choices += "    " + name + ")\n      COMPREPLY=($(compgen -W '" + choices_of(field) +
                   "' -- \"$current\"))\n      return ;;\n";
      } else {
        (field.type == FieldType::path ? paths : others).push_back(name);
      }
    }
  }
  return choices + "    " + join(paths, " | ") +
         ")\n      COMPREPLY=($(compgen -f -- \"$current\"))\n      return ;;\n" + "    " + join(others, " | ") +
         ")\n      return ;;\n";
}

std::string bash_command_case(const Operation& command) {
  std::vector<std::string> words;
  for (const Field& field : options_of(command)) words.push_back(option_name(field));
  std::string text = "    " + with_dashes(command.name) + ")\n      options='" + join(words, " ") + "'\n";
  if (command.name == kHelpCommand.name) {
    text += "      words='" + join(command_names(), " ") + "'\n";
  } else if (const Field* positional = first_positional(command)) {
    if (!positional->choices.empty()) text += "      words='" + choices_of(*positional) + "'\n";
    if (positional->type == FieldType::path) text += "      files=yes\n";
  }
  return text + "      ;;\n";
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string> globals;
  for (const Field& field : global_options()) globals.push_back(option_name(field));
  std::string cases;
  for (const Operation* command : commands()) cases += bash_command_case(*command);
  return "# bash completion for loci; made by: loci completion bash\n"
         "_loci() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command= options= words= files= word index\n"
         "  COMPREPLY=()\n"
         "  case $previous in\n" +
         bash_value_cases() +
         "  esac\n"
         "  for ((index = 1; index < COMP_CWORD; index++)); do\n"
         "    word=${COMP_WORDS[index]}\n"
         "    case \" " +
         join(command_names(), " ") +
         " \" in\n"
         "      *\" $word \"*) command=$word; break ;;\n"
         "    esac\n"
         "  done\n"
         "  case $command in\n"
         "    '')\n"
         "      options='" +
         join(globals, " ") + "'\n      words='" + join(command_names(), " ") + "'\n      ;;\n" + cases +
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  elif [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  elif [[ -n $files ]]; then\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _loci loci\n";
}

std::string zsh_completion() {
  std::string names;
  std::string cases;
  for (const Operation* command : commands()) {
    const std::string name = with_dashes(command->name);
    names += "    " + quoted_for_shell(name + ":" + escaped_for_zsh(command->summary)) + "\n";
    cases += "    " + name + ")\n      _arguments -s \\\n";
    for (const Field& field : options_of(*command)) {
      cases += "        " +
               quoted_for_shell(option_name(field) + "[" + escaped_for_zsh(field.help) + "]" + zsh_action(field)) +
               " \\\n";
    }
    const Field* positional = first_positional(*command);
    std::string rest = "*:argument:";
    if (command->name == kHelpCommand.name) {
      rest += "(" + join(command_names(), " ") + ")";
    } else if (positional != nullptr) {
      rest = "*" + zsh_action(*positional);
    }
    cases += "        " + quoted_for_shell(rest) + " ;;\n";
  }
  return "#compdef loci\n"
         "# zsh completion for loci; made by: loci completion zsh\n"
         "_loci() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         names +
         "  )\n"
         "  local index name=\n"
         "  for ((index = 2; index < CURRENT; index++)); do\n"
         "    if (( ${commands[(I)${words[index]}:*]} )); then\n"
         "      name=${words[index]}\n"
         "      break\n"
         "    fi\n"
         "  done\n"
         "  if [[ -z $name ]]; then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift $((index - 1)) words\n"
         "  (( CURRENT -= index - 1 ))\n"
         "  case $name in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ ${funcstack[1]} == _loci ]]; then _loci \"$@\"; else compdef _loci loci; fi\n";
}

std::string fish_completion() {
  std::string text =
      "# fish completion for loci; made by: loci completion fish\n"
      "complete -c loci -f\n";
  const std::string none = "not __fish_seen_subcommand_from " + join(command_names(), " ");
  for (const Operation* command : commands()) {
    text += "complete -c loci -n " + quoted_for_shell(none) + " -a " + with_dashes(command->name) + " -d " +
            quoted_for_shell(command->summary) + "\n";
  }
  for (const Operation* command : commands()) {
    const std::string condition = quoted_for_shell("__fish_seen_subcommand_from " + with_dashes(command->name));
    for (const Field& field : options_of(*command)) {
      text += "complete -c loci -n " + condition + " -l " + with_dashes(field.name);
      if (field.type != FieldType::boolean) text += field.type == FieldType::path ? " -r -F" : " -x";
      if (!field.choices.empty()) text += " -a " + quoted_for_shell(choices_of(field));
      text += " -d " + quoted_for_shell(field.help) + "\n";
    }
    const Field* positional = first_positional(*command);
    if (command->name == kHelpCommand.name) {
      text += "complete -c loci -n " + condition + " -a " + quoted_for_shell(join(command_names(), " ")) + "\n";
    } else if (positional != nullptr && !positional->choices.empty()) {
      text += "complete -c loci -n " + condition + " -a " + quoted_for_shell(choices_of(*positional)) + "\n";
    } else if (positional != nullptr && positional->type == FieldType::path) {
      text += "complete -c loci -n " + condition + " -F\n";
    }
  }
  return text;
}

}  // namespace loci
