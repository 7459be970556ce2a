// Tools that need something from the client, and ask for it by their result (the modern era's way).
#include <optional>
#include <variant>

#include <openssl/crypto.h>

#include "base/random.h"
#include "base/sha256.h"
#include "tests/mcp/fixture_features.h"
#include "tests/mcp/fixture_tools.h"

namespace loci::mcp {
namespace {

Json elicit_text(std::string_view message, std::string_view field, std::string_view type = "string") {
  return {{"method", "elicitation/create"},
          {"params",
           {{"mode", "form"},
            {"message", message},
            {"requestedSchema",
             {{"type", "object"}, {"properties", {{field, {{"type", type}}}}}, {"required", Json::array({field})}}}}}};
}

Json sample(std::string_view question, int most_tokens) {
  return {{"method", "sampling/createMessage"},
          {"params",
           {{"messages", Json::array({{{"role", "user"}, {"content", text_content(question)}}})},
            {"maxTokens", most_tokens}}}};
}

Json list_roots() { return {{"method", "roots/list"}, {"params", Json::object()}}; }

Json input_required(Json requests, const std::string& state = {}) {
  Json result = {{"resultType", "input_required"}, {"inputRequests", std::move(requests)}};
  if (!state.empty()) result["requestState"] = state;
  return result;
}

const Json* response(const Call& call, std::string_view key) {
  const Json* responses = member(call.params(), "inputResponses");
  const Json* found = responses == nullptr ? nullptr : member(*responses, key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

// The text of a field that a person filled in; nothing when it was not accepted or has another form.
std::optional<std::string> filled_in(const Call& call, std::string_view key, std::string_view field) {
  const Json* answer = response(call, key);
  if (answer == nullptr || text_member(*answer, "action") != "accept") return std::nullopt;
  const Json* content = member(*answer, "content");
  const Json* value = content == nullptr ? nullptr : member(*content, field);
  if (value == nullptr || !(value->is_string() || value->is_boolean())) return std::nullopt;
  return value->is_string() ? value->get<std::string>() : to_text(*value, JsonLayout::one_line);
}

// What is handed to a client comes back only as it was given.
std::string seal(const std::string& state) {
  static const std::string kSecret = random_hex(32);
  return state + "." + to_hex(sha256(kSecret + state + kSecret));
}

std::optional<std::string> unseal(const Call& call) {
  const std::string sealed = text_member(call.params(), "requestState");
  const std::size_t dot = sealed.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string state = sealed.substr(0, dot);
  const std::string expected = seal(state);
  if (expected.size() != sealed.size() || CRYPTO_memcmp(expected.data(), sealed.data(), sealed.size()) != 0)
    return std::nullopt;
  return state;
}

bool has_state(const Call& call) { return member(call.params(), "requestState") != nullptr; }

RpcError bad_state() { return {kInvalidParams, "requestState is not what the server gave out"}; }

Reply ask_name(const Json&, Call& call) {
  const std::optional<std::string> name = filled_in(call, "user_name", "name");
  if (!name) return input_required({{"user_name", elicit_text("What is your name?", "name")}});
  return text_result("Hello, " + *name + "!");
}

Reply ask_model(const Json&, Call& call) {
  const Json* answer = response(call, "capital_question");
  if (answer == nullptr) return input_required({{"capital_question", sample("What is the capital of France?", 100)}});
  const Json* content = member(*answer, "content");
  return text_result(content == nullptr ? "" : text_member(*content, "text"));
}

Reply ask_roots(const Json&, Call& call) {
  const Json* answer = response(call, "client_roots");
  if (answer == nullptr) return input_required({{"client_roots", list_roots()}});
  return text_result("The roots are " + to_text(*answer, JsonLayout::one_line));
}

Reply with_state(const Json&, Call& call) {
  if (has_state(call) && !unseal(call)) return bad_state();
  if (!has_state(call) || !filled_in(call, "confirm", "ok"))
    return input_required({{"confirm", elicit_text("Please confirm", "ok", "boolean")}}, seal("asked"));
  return text_result("state-ok");
}

Reply ask_three_things(const Json&, Call& call) {
  if (has_state(call) && !unseal(call)) return bad_state();
  const std::optional<std::string> name = filled_in(call, "user_name", "name");
  if (!name || response(call, "greeting") == nullptr || response(call, "client_roots") == nullptr) {
    return input_required({{"user_name", elicit_text("What is your name?", "name")},
                           {"greeting", sample("Generate a greeting", 50)},
                           {"client_roots", list_roots()}},
                          seal("asked"));
  }
  return text_result("Everything is here, " + *name + ".");
}

Reply ask_in_rounds(const Json&, Call& call) {
  const std::optional<std::string> state = unseal(call);
  if (has_state(call) && !state) return bad_state();
  const std::optional<std::string> name = filled_in(call, "step1", "name");
  const std::optional<std::string> colour = filled_in(call, "step2", "color");
  if (state && state->starts_with("second:") && colour) return text_result(state->substr(7) + " likes " + *colour);
  if (state == "first" && name)
    return input_required({{"step2", elicit_text("Step 2: What is your favorite color?", "color")}},
                          seal("second:" + *name));
  return input_required({{"step1", elicit_text("Step 1: What is your name?", "name")}}, seal("first"));
}

Reply by_capabilities(const Json&, Call& call) {
  Json requests = Json::object();
  if (member(call.client_capabilities(), "sampling") != nullptr)
    requests["greeting"] = sample("Generate a greeting", 50);
  if (member(call.client_capabilities(), "elicitation") != nullptr)
    requests["user_name"] = elicit_text("What is your name?", "name");
  for (const auto& [key, request] : requests.items()) {
    if (response(call, key) == nullptr) return input_required(requests);
  }
  return text_result("The client offers no more than this.");
}

}  // namespace

const std::vector<FixtureTool>& input_tools() {
  static const std::vector<FixtureTool> kTools = {
      {"test_streaming_elicitation", ask_name},
      {"test_input_required_result_elicitation", ask_name},
      {"test_input_required_result_sampling", ask_model},
      {"test_input_required_result_list_roots", ask_roots},
      {"test_input_required_result_request_state", with_state},
      {"test_input_required_result_tampered_state", with_state},
      {"test_input_required_result_multiple_inputs", ask_three_things},
      {"test_input_required_result_multi_round", ask_in_rounds},
      {"test_input_required_result_capabilities", by_capabilities},
  };
  return kTools;
}

Reply prompt_with_input(Call& call) {
  const std::optional<std::string> context = filled_in(call, "user_context", "context");
  if (!context)
    return input_required({{"user_context", elicit_text("What context should the prompt use?", "context")}});
  const Json message = {{"role", "user"}, {"content", text_content("Use this context: " + *context)}};
  return Json{{"messages", Json::array({message})}};
}

}  // namespace loci::mcp
