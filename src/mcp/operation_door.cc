#include "mcp/operation_door.h"

#include <algorithm>
#include <utility>

#include "api/operations.h"
#include "api/suggestion.h"
#include "mcp/drawer_text.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kAnswerBytes = 24'000;

std::string explain(const Operation& operation) {
  return std::string(operation.name) + ": " + std::string(operation.summary) +
         "\narguments: " + to_text(request_schema(operation), JsonLayout::one_line);
}

}  // namespace

bool OperationDoor::is_offered(const Operation& operation) const {
  // Benchmarks load the machine for minutes; they are for a terminal.
  if (operation.name == "bench") return false;
  return !runner_.is_read_only() || operation.effect == Effect::reads || operation.effect_of != nullptr;
}

std::string OperationDoor::help() const {
  std::string text = "Operations:";
  for (const Operation* operation : operations()) {
    const bool is_elsewhere = std::find(elsewhere_.begin(), elsewhere_.end(), operation->name) != elsewhere_.end();
    if (is_elsewhere || !is_offered(*operation)) continue;
    text += "\n" + std::string(operation->name) + ": " + std::string(operation->summary);
  }
  return text + "\nhelp with arguments {\"operation\": name} shows the arguments of one.";
}

Json OperationDoor::call(const Json& arguments, Call& call) {
  const std::string name = text_member(arguments, "operation");
  const Json* given = member(arguments, "arguments");
  if (given != nullptr && !given->is_object()) return error_result("arguments must be an object");
  const bool is_help = name == "help";
  const std::string wanted = is_help ? text_member(given != nullptr ? *given : Json(), "operation") : name;
  if (is_help && wanted.empty()) return text_result(help());

  const Operation* operation = find_operation(wanted);
  if (operation == nullptr || !is_offered(*operation)) {
    std::vector<std::string_view> names;
    for (const Operation* known : operations()) names.push_back(known->name);
    return error_result("there is no operation " + std::string(cut_text(wanted, 100)) + did_you_mean(wanted, names) +
                        "\n" + help());
  }
  if (is_help) return text_result(explain(*operation));

  const Result<Answer> answer = runner_.run(wanted, given != nullptr ? *given : Json::object(), call);
  if (!answer.ok()) return error_result(answer.error().message);
  const std::string text = to_text(answer->body, JsonLayout::one_line);
  if (text.size() <= kAnswerBytes) {
    Json result = text_result(text);
    result["structuredContent"] = answer->body;
    return result;
  }
  return text_result(std::string(cut_text(text, kAnswerBytes)) + "\n(" + std::to_string(text.size() - kAnswerBytes) +
                     " more bytes did not fit; ask for less)");
}

}  // namespace loci::mcp
