#include "tests/mcp/fixture_features.h"

#include <string_view>

#include "mcp/server.h"
#include "tests/mcp/fixture_tools.h"

namespace loci::mcp {
namespace {

constexpr std::string_view kTemplateStart = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";
constexpr std::string_view kToolChange = "test_trigger_tool_change";
constexpr std::string_view kPromptChange = "test_trigger_prompt_change";

Json resource(std::string_view uri, std::string_view name, std::string_view type) {
  return {{"uri", uri}, {"name", name}, {"description", "A resource for testing"}, {"mimeType", type}};
}

Json user_message(Json content) { return {{"role", "user"}, {"content", std::move(content)}}; }

Json prompt(std::string_view name, Json arguments) {
  Json json = {{"name", name}, {"description", "A prompt for testing"}};
  if (!arguments.empty()) json["arguments"] = std::move(arguments);
  return json;
}

Json argument(std::string_view name) { return {{"name", name}, {"description", "For testing"}, {"required", true}}; }

Json one_content(const std::string& uri, std::string_view type, std::string_view kind, std::string_view value) {
  return {{"contents", Json::array({{{"uri", uri}, {"mimeType", type}, {kind, value}}})}};
}

Tool tool_of(std::string name, Json schema) {
  return {.name = std::move(name), .description = "A tool for testing", .input_schema = std::move(schema)};
}

}  // namespace

const char* const kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const char* const kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

Json text_content(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

Json text_result(std::string_view text) { return {{"content", Json::array({text_content(text)})}}; }

Identity FixtureFeatures::identity() const { return {.name = "conformance-fixtures", .version = "1.0.0"}; }

Abilities FixtureFeatures::abilities() const {
  return {.resources = true, .prompts = true, .completions = true, .logging = true, .lists_change = true};
}

std::vector<Tool> FixtureFeatures::tools() const {
  std::vector<Tool> all;
  for (const auto* group : {&plain_tools(), &input_tools()}) {
    for (const FixtureTool& tool : *group) all.push_back(tool_of(tool.name, tool.input_schema));
  }
  for (const std::string_view name : {kToolChange, kPromptChange})
    all.push_back(tool_of(std::string(name), {{"type", "object"}}));
  return all;
}

Reply FixtureFeatures::call_tool(const std::string& name, const Json& arguments, Call& call) {
  if (name == kToolChange || name == kPromptChange) {
    server_->list_changed(name == kToolChange ? ListKind::tools : ListKind::prompts);
    return text_result("The list has changed.");
  }
  for (const auto* group : {&plain_tools(), &input_tools()}) {
    for (const FixtureTool& tool : *group) {
      if (tool.name == name) return tool.run(arguments, call);
    }
  }
  return RpcError{kInvalidParams, "Unknown tool: " + name};
}

Reply FixtureFeatures::resources(Call&) {
  return Json{{"resources", Json::array({resource("test://static-text", "Static text", "text/plain"),
                                         resource("test://static-binary", "Static picture", "image/png"),
                                         resource("test://watched-resource", "Watched", "text/plain")})}};
}

Json FixtureFeatures::resource_templates() const {
  return Json::array({{{"uriTemplate", "test://template/{id}/data"},
                       {"name", "Template"},
                       {"description", "A template for testing"},
                       {"mimeType", "application/json"}}});
}

Reply FixtureFeatures::read_resource(const std::string& uri, Call&) {
  if (uri == "test://static-text")
    return one_content(uri, "text/plain", "text", "This is the content of the static text resource.");
  if (uri == "test://watched-resource") return one_content(uri, "text/plain", "text", "Watched.");
  if (uri == "test://static-binary") return one_content(uri, "image/png", "blob", kPng);
  if (uri.starts_with(kTemplateStart) && uri.ends_with(kTemplateEnd) &&
      uri.size() > kTemplateStart.size() + kTemplateEnd.size()) {
    const std::string id = uri.substr(kTemplateStart.size(), uri.size() - kTemplateStart.size() - kTemplateEnd.size());
    const Json data = {{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
    return one_content(uri, "application/json", "text", to_text(data, JsonLayout::one_line));
  }
  return RpcError{kResourceNotFound, "Resource not found", {{"uri", uri}}};
}

Json FixtureFeatures::prompts() const {
  return Json::array({prompt("test_simple_prompt", {}),
                      prompt("test_prompt_with_arguments", Json::array({argument("arg1"), argument("arg2")})),
                      prompt("test_prompt_with_embedded_resource", Json::array({argument("resourceUri")})),
                      prompt("test_prompt_with_image", {}), prompt("test_input_required_result_prompt", {})});
}

Reply FixtureFeatures::get_prompt(const std::string& name, const Json& arguments, Call& call) {
  Json messages = Json::array();
  if (name == "test_simple_prompt") {
    messages.push_back(user_message(text_content("This is a simple prompt for testing.")));
  } else if (name == "test_prompt_with_arguments") {
    messages.push_back(user_message(text_content("Prompt with arguments: arg1='" + text_member(arguments, "arg1") +
                                                 "', arg2='" + text_member(arguments, "arg2") + "'")));
  } else if (name == "test_prompt_with_embedded_resource") {
    const Json embedded = {{"uri", text_member(arguments, "resourceUri")},
                           {"mimeType", "text/plain"},
                           {"text", "Embedded resource content for testing."}};
    messages.push_back(user_message({{"type", "resource"}, {"resource", embedded}}));
    messages.push_back(user_message(text_content("Please process the embedded resource above.")));
  } else if (name == "test_prompt_with_image") {
    messages.push_back(user_message({{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}}));
    messages.push_back(user_message(text_content("Please analyze the image above.")));
  } else if (name == "test_input_required_result_prompt") {
    return prompt_with_input(call);
  } else {
    return RpcError{kInvalidParams, "Unknown prompt: " + name};
  }
  return Json{{"messages", std::move(messages)}};
}

Reply FixtureFeatures::complete(const Json&, const Json& argument, const Json&, Call&) {
  Json values = Json::array();
  for (const std::string_view word : {"paris", "park", "party"}) {
    if (word.starts_with(text_member(argument, "value"))) values.push_back(word);
  }
  const std::size_t total = values.size();
  return Json{{"completion", {{"values", std::move(values)}, {"total", total}, {"hasMore", false}}}};
}

}  // namespace loci::mcp
