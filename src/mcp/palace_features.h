// What Loci offers over MCP: a set of tools, and with its own set also resources and prompts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/session.h"
#include "loci/result.h"
#include "mcp/features.h"
#include "mcp/operation_runner.h"
#include "mcp/resources.h"
#include "mcp/tool_set.h"

namespace loci::mcp {

// Many threads may use it at once.
class PalaceFeatures final : public Features {
 public:
  // `tools`: loci, mempalace or memtomem. The session outlives the features. `start_worker` is called after texts were
  // stored. Does no I/O. Errors: invalid_argument for another set.
  static Result<std::unique_ptr<PalaceFeatures>> make(Session& session, std::string_view tools,
                                                      std::function<void()> start_worker);
  ~PalaceFeatures() override;

  // Begins to load the model, if searches will need it, on a thread of its own. Call it once, when the first message
  // was answered.
  void warm_up();

  Identity identity() const override { return tools_->identity(); }
  Abilities abilities() const override;
  std::vector<Tool> tools() const override { return tools_->tools(); }
  Reply call_tool(const std::string& name, const Json& arguments, Call& call) override {
    return tools_->call(name, arguments, call);
  }
  Reply resources(Call& call) override { return resources_.list(call); }
  Json resource_templates() const override { return Resources::templates(); }
  Reply read_resource(const std::string& uri, Call& call) override { return resources_.read(uri, call); }
  bool is_resource_uri(const std::string& uri) const override { return Resources::is_ours(uri); }
  void tell_changes_to(ResourceListener* listener) override { runner_.tell_changes_to(listener); }
  Json prompts() const override;
  Reply get_prompt(const std::string& name, const Json& arguments, Call& call) override;
  Reply complete(const Json& reference, const Json& argument, const Json& context, Call& call) override;

 private:
  PalaceFeatures(Session& session, std::function<void()> start_worker, bool has_own_tools);

  const bool has_own_tools_;
  OperationRunner runner_;
  Resources resources_;
  std::unique_ptr<ToolSet> tools_;
  std::thread warm_up_;
};

}  // namespace loci::mcp
