#include "tests/mcp/fixture_tools.h"

#include <chrono>
#include <thread>
#include <variant>

#include "tests/mcp/fixture_features.h"

namespace loci::mcp {
namespace {

constexpr std::chrono::milliseconds kStep{50};
constexpr std::chrono::milliseconds kAnswerTime{10'000};

void wait_a_step() { std::this_thread::sleep_for(kStep); }

Json image() { return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}}; }

Json embedded(std::string_view uri, std::string_view type, std::string_view text) {
  return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", text}}}};
}

Reply simple_text(const Json&, Call&) { return text_result("This is a simple text response for testing."); }

Reply image_content(const Json&, Call&) { return Json{{"content", Json::array({image()})}}; }

Reply audio_content(const Json&, Call&) {
  return Json{{"content", Json::array({{{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}}})}};
}

Reply embedded_resource(const Json&, Call&) {
  return Json{{"content", Json::array({embedded("test://embedded-resource", "text/plain",
                                                "This is an embedded resource content.")})}};
}

Reply multiple_content_types(const Json&, Call&) {
  return Json{{"content", Json::array({text_content("Multiple content types test:"), image(),
                                       embedded("test://mixed-content-resource", "application/json",
                                                R"({"test":"data","value":123})")})}};
}

Reply with_logging(const Json&, Call& call) {
  call.log("info", "conformance", "Tool execution started");
  wait_a_step();
  call.log("info", "conformance", "Tool processing data");
  wait_a_step();
  call.log("info", "conformance", "Tool execution completed");
  return text_result("Three messages were logged.");
}

Reply with_progress(const Json&, Call& call) {
  for (const int done : {0, 50, 100}) {
    if (done > 0) wait_a_step();
    call.progress_step(done, 100, "");
  }
  return text_result("All steps are done.");
}

Reply with_error(const Json&, Call&) {
  Json result = text_result("This tool intentionally returns an error for testing");
  result["isError"] = true;
  return result;
}

Reply failed(const RpcError& error) {
  Json result = text_result(error.message);
  result["isError"] = true;
  return result;
}

Reply sampling(const Json& arguments, Call& call) {
  const Json message = {{"role", "user"}, {"content", text_content(text_member(arguments, "prompt"))}};
  const Reply reply =
      call.ask("sampling/createMessage", {{"messages", Json::array({message})}, {"maxTokens", 100}}, kAnswerTime);
  if (const auto* error = std::get_if<RpcError>(&reply)) return failed(*error);
  const Json* content = member(std::get<Json>(reply), "content");
  return text_result("LLM response: " + (content != nullptr ? text_member(*content, "text") : std::string()));
}

Reply elicit(Call& call, std::string_view message, Json schema, std::string_view opening) {
  const Reply reply =
      call.ask("elicitation/create", {{"message", message}, {"requestedSchema", std::move(schema)}}, kAnswerTime);
  if (const auto* error = std::get_if<RpcError>(&reply)) return failed(*error);
  const Json& answer = std::get<Json>(reply);
  const Json* content = member(answer, "content");
  return text_result(std::string(opening) + "action=" + text_member(answer, "action") +
                     ", content=" + (content != nullptr ? to_text(*content, JsonLayout::one_line) : "{}"));
}

Reply elicitation(const Json& arguments, Call& call) {
  const Json schema = {{"type", "object"},
                       {"properties",
                        {{"username", {{"type", "string"}, {"description", "User's response"}}},
                         {"email", {{"type", "string"}, {"description", "User's email address"}}}}},
                       {"required", {"username", "email"}}};
  return elicit(call, text_member(arguments, "message"), schema, "User response: ");
}

Reply elicitation_defaults(const Json&, Call& call) {
  const Json schema = {
      {"type", "object"},
      {"properties",
       {{"name", {{"type", "string"}, {"default", "John Doe"}}},
        {"age", {{"type", "integer"}, {"default", 30}}},
        {"score", {{"type", "number"}, {"default", 95.5}}},
        {"status", {{"type", "string"}, {"enum", {"active", "inactive", "pending"}}, {"default", "active"}}},
        {"verified", {{"type", "boolean"}, {"default", true}}}}}};
  return elicit(call, "Please review the values", schema, "Elicitation completed: ");
}

Json titled(std::string_view word) {
  Json options = Json::array();
  int number = 1;
  for (const char* ordinal : {"First ", "Second ", "Third "}) {
    options.push_back({{"const", "value" + std::to_string(number++)}, {"title", ordinal + std::string(word)}});
  }
  return options;
}

Reply elicitation_enums(const Json&, Call& call) {
  const Json plain = {{"type", "string"}, {"enum", {"option1", "option2", "option3"}}};
  const Json schema = {{"type", "object"},
                       {"properties",
                        {{"untitledSingle", plain},
                         {"titledSingle", {{"type", "string"}, {"oneOf", titled("Option")}}},
                         {"legacyEnum",
                          {{"type", "string"},
                           {"enum", {"opt1", "opt2", "opt3"}},
                           {"enumNames", {"Option One", "Option Two", "Option Three"}}}},
                         {"untitledMulti", {{"type", "array"}, {"items", plain}}},
                         {"titledMulti", {{"type", "array"}, {"items", {{"anyOf", titled("Choice")}}}}}}}};
  return elicit(call, "Please choose", schema, "Elicitation completed: ");
}

Reply missing_capability(const Json&, Call& call) {
  if (member(call.client_capabilities(), "sampling") != nullptr) return text_result("The client can sample.");
  return RpcError{
      kMissingCapability, "this needs sampling", {{"requiredCapabilities", {{"sampling", Json::object()}}}}};
}

Json schema_2020_12() {
  return Json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                          "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                   "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                   "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
  })");
}

Json one_text(std::string_view name) {
  return {{"type", "object"}, {"properties", {{name, {{"type", "string"}}}}}, {"required", Json::array({name})}};
}

}  // namespace

const std::vector<FixtureTool>& plain_tools() {
  static const std::vector<FixtureTool> kTools = {
      {"test_simple_text", simple_text},
      {"test_image_content", image_content},
      {"test_audio_content", audio_content},
      {"test_embedded_resource", embedded_resource},
      {"test_multiple_content_types", multiple_content_types},
      {"test_tool_with_logging", with_logging},
      {"test_tool_with_progress", with_progress},
      {"test_error_handling", with_error},
      {"test_sampling", sampling, one_text("prompt")},
      {"test_elicitation", elicitation, one_text("message")},
      {"test_elicitation_sep1034_defaults", elicitation_defaults},
      {"test_elicitation_sep1330_enums", elicitation_enums},
      {"json_schema_2020_12_tool", simple_text, schema_2020_12()},
      {"test_missing_capability", missing_capability},
      {"test_logging_tool", with_logging},
  };
  return kTools;
}

}  // namespace loci::mcp
