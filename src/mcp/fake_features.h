// Features for tests: four tools, one resource, one prompt.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "mcp/features.h"

namespace loci::mcp {

class FakeFeatures final : public Features {
 public:
  Identity identity() const override { return {.name = "fake", .version = "1", .instructions = "Be kind."}; }
  Abilities abilities() const override {
    return {
        .resources = true, .prompts = true, .completions = true, .logging = true, .tasks = true, .lists_change = true};
  }

  std::vector<Tool> tools() const override {
    return {{.name = "echo", .title = "Echo", .output_schema = {{"type", "object"}}},
            {.name = "ask"},
            {.name = "wait", .task_support = TaskSupport::optional, .duration = Duration::long_running},
            {.name = "toil", .duration = Duration::long_running}};
  }
  // echo gives its arguments back, when it is not held up; ask has the client sample; wait and toil go on until they
  // are cancelled or released.
  Reply call_tool(const std::string& name, const Json& arguments, Call& call) override {
    if (name == "echo") {
      while (is_held_up) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      call.progress_step(1, 2, "half");
      call.log("warning", "echo", "heard");
      return Json{{"content", {{{"type", "text"}, {"text", arguments.dump()}}}}, {"structuredContent", arguments}};
    }
    if (name == "ask") {
      const Reply reply = call.ask("sampling/createMessage", {{"maxTokens", 1}}, patience);
      const auto* error = std::get_if<RpcError>(&reply);
      const std::string text = error != nullptr ? error->message : std::get<Json>(reply).dump();
      return Json{{"content", {{{"type", "text"}, {"text", text}}}}};
    }
    if (name != "wait" && name != "toil") return RpcError{kInvalidParams, "Unknown tool: " + name};
    ++waiting;
    while (!call.is_cancelled() && !released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (call.is_cancelled()) ++cancelled;
    return Json{{"content", {{{"type", "text"}, {"text", "waited"}}}}};
  }

  Reply resources(Call&) override {
    Json list = Json::array();
    for (int i = 0; i < 250; ++i) list.push_back({{"uri", "fake://" + std::to_string(i)}, {"name", "n"}});
    return Json{{"resources", std::move(list)}};
  }
  Json resource_templates() const override { return Json::array(); }
  Reply read_resource(const std::string& uri, Call&) override {
    if (uri != "fake://1") return RpcError{kResourceNotFound, "there is no " + uri};
    return Json{{"contents", {{{"uri", uri}, {"text", "one"}}}}};
  }
  bool is_resource_uri(const std::string& uri) const override { return uri.starts_with("fake://"); }
  void tell_changes_to(ResourceListener*) override {}
  Json prompts() const override { return Json::array(); }
  Reply get_prompt(const std::string&, const Json&, Call&) override { return Json{{"messages", Json::array()}}; }
  Reply complete(const Json&, const Json&, const Json&, Call&) override {
    return Json{{"completion", {{"values", Json::array()}}}};
  }

  std::chrono::milliseconds patience = std::chrono::seconds(10);  // with a client that is asked
  std::atomic<int> waiting = 0;
  std::atomic<int> cancelled = 0;
  std::atomic<bool> released = false;
  std::atomic<bool> is_held_up = false;
};

}  // namespace loci::mcp
