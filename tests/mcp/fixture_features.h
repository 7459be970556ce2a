// The tools, resources and prompts that the official conformance suite of the Model Context Protocol wants to find.
// None of them is in the product.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "mcp/features.h"

namespace loci::mcp {

class Server;

class FixtureFeatures final : public Features {
 public:
  // For tools that change what the server offers; set before the first request.
  void use(Server& server) { server_ = &server; }

  Identity identity() const override;
  Abilities abilities() const override;
  std::vector<Tool> tools() const override;
  Reply call_tool(const std::string& name, const Json& arguments, Call& call) override;
  Reply resources(Call& call) override;
  Json resource_templates() const override;
  Reply read_resource(const std::string& uri, Call& call) override;
  bool is_resource_uri(const std::string& uri) const override { return uri.starts_with("test://"); }
  void tell_changes_to(ResourceListener*) override {}
  Json prompts() const override;
  Reply get_prompt(const std::string& name, const Json& arguments, Call& call) override;
  Reply complete(const Json& reference, const Json& argument, const Json& context, Call& call) override;

 private:
  Server* server_ = nullptr;
};

Json text_content(std::string_view text);
// {"content": [one text]}
Json text_result(std::string_view text);

// 1 by 1 pixel, and a sound without samples, both in base64.
extern const char* const kPng;
extern const char* const kWav;

}  // namespace loci::mcp
