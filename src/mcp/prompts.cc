#include "mcp/prompts.h"

#include <utility>

#include "mcp/degraded_text.h"
#include "mcp/drawer_text.h"

namespace loci::mcp {
namespace {

constexpr DrawerBudget kRecallBudget = {.all_bytes = 12'000, .one_bytes = 2'000};
constexpr DrawerBudget kWakeUpBudget = {.all_bytes = 3'200, .one_bytes = 300};
constexpr int kWakeUpDrawers = 15;

Json argument(std::string_view name, std::string_view description, bool is_required) {
  return {{"name", name}, {"description", description}, {"required", is_required}};
}

Json message(std::string text) {
  return {{"messages", Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", std::move(text)}}}}})}};
}

// The drawers of an answer under an introduction, or what to say when there are none.
Reply with_drawers(const Result<Answer>& answer, std::string_view list, const DrawerBudget& budget,
                   const std::string& introduction) {
  if (!answer.ok() && !is_empty_palace(answer.error())) return RpcError{kInternalError, answer.error().message};
  if (!answer.ok()) return message(introduction + "\n\nNothing is stored yet.");
  const ShownDrawers shown = show_drawers(answer->body.at(std::string(list)), budget);
  const std::string lacks = degraded_text(answer->body);
  if (shown.drawers.empty()) return message(introduction + "\n\nNothing was found." + lacks);
  return message(introduction + " " + with_notice(shown.text) + lacks);
}

Json scope_of(const Json& arguments) {
  const std::string wing = text_member(arguments, "wing");
  return wing.empty() ? Json::object() : Json{{"wing", wing}};
}

std::string save_text(const Json& arguments) {
  const std::string wing = text_member(arguments, "wing");
  return "Save what is worth keeping of this session with loci_add: each decision with its reason, each fact and "
         "preference you learnt, each problem with its solution. One drawer for each, in the words that were used, "
         "with " +
         (wing.empty() ? "the project as wing" : "the wing \"" + wing + "\"") +
         " and its topic as room. Search first, and update instead of adding what is there already. Then say in one "
         "sentence what you saved.";
}

}  // namespace

Json list_prompts() {
  const Json wing = argument("wing", "the project, person or agent", false);
  return Json::array(
      {{{"name", "recall"},
        {"description", "What memory knows about a topic"},
        {"arguments", Json::array({argument("topic", "what to look for", true), wing})}},
       {{"name", "wake_up"}, {"description", "Begin with what was stored last"}, {"arguments", Json::array({wing})}},
       {{"name", "save_session"},
        {"description", "Store what this session was worth"},
        {"arguments", Json::array({wing})}}});
}

bool has_prompt(std::string_view name) { return name == "recall" || name == "wake_up" || name == "save_session"; }

Reply make_prompt(OperationRunner& runner, const std::string& name, const Json& arguments, Call& call) {
  if (name == "save_session") return message(save_text(arguments));
  Json fields = scope_of(arguments);
  if (name == "wake_up") {
    fields["limit"] = kWakeUpDrawers;
    return with_drawers(runner.run("recall", std::move(fields), call), "drawers", kWakeUpBudget,
                        "These are the newest memories. Keep them in mind.");
  }
  if (name != "recall") return RpcError{kInvalidParams, "Unknown prompt: " + name};
  const std::string topic = text_member(arguments, "topic");
  if (topic.empty()) return RpcError{kInvalidParams, "the prompt recall needs the argument topic"};
  fields["query"] = topic;
  return with_drawers(runner.run("search", std::move(fields), call), "hits", kRecallBudget,
                      "This is what memory has about: " + topic);
}

}  // namespace loci::mcp
