#include "mcp/palace_features.h"

#include <utility>

#include "mcp/prompts.h"

namespace loci::mcp {

PalaceFeatures::PalaceFeatures(Session& session, std::function<void()> start_worker, bool has_own_tools)
    : has_own_tools_(has_own_tools), runner_(session, std::move(start_worker)), resources_(runner_) {}

PalaceFeatures::~PalaceFeatures() {
  if (warm_up_.joinable()) warm_up_.join();
}

Result<std::unique_ptr<PalaceFeatures>> PalaceFeatures::make(Session& session, std::string_view tools,
                                                             std::function<void()> start_worker) {
  std::unique_ptr<PalaceFeatures> features(new PalaceFeatures(session, std::move(start_worker), tools == "loci"));
  if (tools == "loci") features->tools_ = make_loci_tools(features->runner_);
  if (tools == "mempalace") features->tools_ = make_mempalace_tools(features->runner_);
  if (tools == "memtomem") features->tools_ = make_memtomem_tools(features->runner_);
  if (features->tools_ == nullptr) {
    return Error{ErrorKind::invalid_argument, "tools must be loci, mempalace or memtomem, not " + std::string(tools)};
  }
  return features;
}

void PalaceFeatures::warm_up() {
  warm_up_ = std::thread([this] { runner_.warm_up(); });
}

Abilities PalaceFeatures::abilities() const {
  // Those who come from another program get what it has: tools.
  if (!has_own_tools_) return {};
  return {.resources = true, .prompts = true, .completions = true, .tasks = true};
}

Json PalaceFeatures::prompts() const { return list_prompts(); }

Reply PalaceFeatures::get_prompt(const std::string& name, const Json& arguments, Call& call) {
  return make_prompt(runner_, name, arguments, call);
}

Reply PalaceFeatures::complete(const Json& reference, const Json& argument, const Json& context, Call& call) {
  const std::string type = text_member(reference, "type");
  if (type == "ref/prompt") {
    if (!has_prompt(text_member(reference, "name"))) return RpcError{kInvalidParams, "there is no such prompt"};
  } else if (type != "ref/resource") {
    return RpcError{kInvalidParams, "params.ref must be of the type ref/prompt or ref/resource"};
  }
  const Json* given = member(context, "arguments");
  return resources_.complete(text_member(argument, "name"), text_member(argument, "value"),
                             given != nullptr ? *given : Json::object(), call);
}

}  // namespace loci::mcp
