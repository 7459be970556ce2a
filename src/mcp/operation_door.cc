#include "mcp/operation_door.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/operations.h"
#include "api/suggestion.h"
#include "mcp/drawer_text.h"
#include "mcp/tool_answer.h"

namespace loci::mcp {
namespace {

constexpr std::string_view kKeys[] = {"operation", "arguments"};

std::string explain(const Operation& operation) {
  return std::string(operation.name) + ": " + std::string(operation.summary) +
         "\narguments: " + to_text(request_schema(operation), JsonLayout::one_line);
}

// What is wrong with the arguments of the tool itself; empty: nothing. Ignoring a stray `dry_run` would do for real
// what the caller only wanted to see.
std::string complaint_about(const Json& arguments) {
  for (const auto& [key, value] : arguments.items()) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
      return "there is no argument " + std::string(cut_text(key, 100)) +
             "; fields of the operation go into arguments: " + "{\"operation\": …, \"arguments\": {…}}";
  }
  const Json* operation = member(arguments, "operation");
  if (operation == nullptr || !operation->is_string()) return "operation must be the name of an operation, or help";
  const Json* given = member(arguments, "arguments");
  if (given != nullptr && !given->is_object()) return "arguments must be an object";
  return {};
}

}  // namespace

bool OperationDoor::is_offered(const Operation& operation) const {
  // They load the machine for minutes, and write files of their own; they are for a terminal.
  if (operation.name == "bench" || operation.name == "eval") return false;
  if (!runner_.is_read_only() || operation.effect == Effect::reads) return true;
  // An export that only reads goes to a stream, which is not there.
  return operation.effect_of != nullptr && operation.name != "export";
}

std::vector<std::string_view> OperationDoor::offered() const {
  std::vector<std::string_view> names;
  for (const Operation* operation : operations()) {
    if (is_offered(*operation)) names.push_back(operation->name);
  }
  return names;
}

std::string OperationDoor::help() const {
  std::string text = "Operations:";
  for (const std::string_view name : offered()) {
    if (std::find(elsewhere_.begin(), elsewhere_.end(), name) != elsewhere_.end()) continue;
    text += "\n" + std::string(name) + ": " + std::string(find_operation(name)->summary);
  }
  return text + "\nhelp with arguments {\"operation\": name} shows the arguments of one.";
}

Json OperationDoor::refusal(const std::string& wanted) const {
  const Operation* operation = find_operation(wanted);
  if (operation != nullptr && operation->effect != Effect::reads && runner_.is_read_only())
    return error_result(wanted +
                        " changes the palace or writes a file, which this server, being read-only, leaves out");
  if (operation != nullptr) return error_result(wanted + " is for a terminal: loci " + wanted + " --help");
  return error_result("there is no operation " + std::string(cut_text(wanted, 100)) + did_you_mean(wanted, offered()) +
                      "\n" + help());
}

Json OperationDoor::call(const Json& arguments, Call& call) {
  if (const std::string complaint = complaint_about(arguments); !complaint.empty()) return error_result(complaint);
  const std::string name = text_member(arguments, "operation");
  const Json fields = arguments.value("arguments", Json::object());
  const bool is_help = name == "help";
  const std::string wanted = is_help ? text_member(fields, "operation") : name;
  if (is_help && wanted.empty()) return text_result(help());

  const Operation* operation = find_operation(wanted);
  if (operation == nullptr || !is_offered(*operation)) return refusal(wanted);
  if (is_help) return text_result(explain(*operation));

  Result<Answer> answer = runner_.run(wanted, fields, call);
  if (!answer.ok()) return error_result(answer.error().message);
  const std::string_view list = list_of_drawers(answer->body);
  return list.empty() ? plain_result(std::move(answer->body)) : drawers_result(wanted, list, std::move(answer->body));
}

}  // namespace loci::mcp
