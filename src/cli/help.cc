#include "cli/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/operations.h"
#include "cli/commands.h"

namespace loci {
namespace {

struct Row {
  std::string left;
  std::string right;
};

// Two columns; the right one is wrapped.
std::string table(const Terminal& terminal, const std::vector<Row>& rows, std::size_t widest_left = 28) {
  std::size_t left_width = 0;
  for (const Row& row : rows) left_width = std::max(left_width, std::min(widest_left, display_width(row.left)));
  const std::size_t indent = left_width + 4;
  std::string text;
  for (const Row& row : rows) {
    std::string right = wrap(terminal, row.right, indent);
    if (display_width(row.left) > left_width) {
      text += "  " + row.left + "\n" + right;
    } else {
      text += "  " + pad_to_width(row.left, left_width) + right.substr(std::min(right.size(), left_width + 2));
    }
  }
  return text;
}

std::string heading(const Terminal& terminal, std::string_view text) {
  return "\n" + styled(terminal, Style::bold, text) + "\n";
}

// "at most so many hits (1 to 1000; 10 if not given)".
std::string explain(const Field& field) {
  std::string text(field.help);
  std::string more;
  if (!field.choices.empty()) {
    for (const std::string_view choice : field.choices) more += (more.empty() ? "" : ", ") + std::string(choice);
  }
  if (field.maximum) {
    more += (more.empty() ? "" : "; ") + std::to_string(field.minimum.value_or(0)) + " to " +
            std::to_string(*field.maximum);
  }
  if (!field.default_value.empty()) {
    std::string value(field.default_value);
    std::erase(value, '"');
    more += (more.empty() ? "" : "; ") + value + " if not given";
  }
  return more.empty() ? text : text + " (" + more + ")";
}

std::string with_placeholder(const Field& field) {
  const std::string value = placeholder(field);
  return option_name(field) + (value.empty() ? "" : " " + value);
}

// "Usage: loci add TEXT [options]".
std::string usage_line(const Operation& command) {
  std::string line = "loci " + with_dashes(command.name);
  for (const Field& field : command.fields) {
    if (!is_positional(field)) continue;
    std::string word = placeholder(field);
    if (field.type == FieldType::text_list) word += "...";
    line += field.is_required ? " " + word : " [" + word + "]";
  }
  return line + " [options]";
}

std::vector<Row> own_rows(const Operation& command) {
  std::vector<Row> rows;
  for (const Field& field : command.fields) {
    const bool takes_file = &field == field_from_file(command);
    rows.push_back({is_positional(field) ? placeholder(field) : with_placeholder(field),
                    explain(field) + (takes_file ? "; - reads it from the standard input" : "")});
    if (takes_file) rows.push_back({"--file PATH", "take " + placeholder(field) + " from a file"});
  }
  return rows;
}

std::vector<Row> global_rows(const Operation* command) {
  std::vector<Row> rows;
  for (const Field& field : global_options()) {
    if (command == nullptr || find_field(*command, field.name) == nullptr) {
      rows.push_back({with_placeholder(field), std::string(field.help)});
    }
  }
  return rows;
}

std::vector<Row> command_rows() {
  std::vector<Row> rows;
  for (const Operation* command : commands())
    rows.push_back({with_dashes(command->name), std::string(command->summary)});
  return rows;
}

}  // namespace

std::string overview(const Terminal& terminal) {
  return styled(terminal, Style::bold, "Loci") +
         ": keeps what was said and written, word for word, and finds it again.\n" + heading(terminal, "Begin with") +
         table(terminal,
               {{"loci add \"Ana prefers tea\" --wing people --room ana", "store something"},
                {"loci search tea", "find it again"},
                {"loci status", "see what is there"}},
               52) +
         "\nloci help lists all commands; loci help COMMAND explains one.\n";
}

std::string general_help(const Terminal& terminal) {
  return styled(terminal, Style::bold, "Loci") +
         ": keeps what was said and written, word for word, and finds it again.\n\n" +
         "Usage: loci COMMAND [options]\n" + heading(terminal, "Commands") + table(terminal, command_rows()) +
         heading(terminal, "Options of all commands") + table(terminal, global_rows(nullptr)) +
         heading(terminal, "Exit codes") +
         "  0 done, 1 failed, 2 usage, 3 not found, 4 needs attention, 130 interrupted\n" +
         "\nloci help COMMAND explains a command and shows examples.\n";
}

std::string command_help(const Terminal& terminal, const Operation& command) {
  std::string text = std::string(command.summary) + "\n\nUsage: " + usage_line(command) + "\n";
  if (!command.fields.empty()) text += heading(terminal, "Options") + table(terminal, own_rows(command));
  text += heading(terminal, "Options of all commands") + table(terminal, global_rows(&command));
  if (!command.examples.empty()) {
    text += heading(terminal, "Examples");
    for (const Example& example : command.examples) {
      text += "  " + styled(terminal, Style::dim, "# " + std::string(example.purpose)) + "\n  loci " +
              std::string(example.arguments) + "\n";
    }
  }
  return text;
}

Json help_as_json() {
  Json list = Json::array();
  for (const Operation* operation : operations()) {
    list.push_back({{"name", operation->name},
                    {"command", with_dashes(operation->name)},
                    {"summary", operation->summary},
                    {"reads_only", operation->effect == Effect::reads},
                    {"destructive", operation->effect == Effect::destroys},
                    {"creates_palace", operation->creates_palace == CreatesPalace::yes},
                    {"request", request_schema(*operation)}});
  }
  return {{"operations", std::move(list)}};
}

}  // namespace loci
