// What a server offers: tools, resources and prompts. The protocol (mcp/server.h) knows them by this interface alone,
// so that Loci's own tools, those with MemPalace's names and the fixtures of a test are interchangeable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json.h"
#include "base/function_ref.h"
#include "mcp/call.h"
#include "mcp/protocol.h"

namespace loci::mcp {

struct Identity {
  std::string name;
  std::string title = {};
  std::string version = {};
  std::string instructions = {};  // for the model that uses the server; short
};

// What is announced; clients do not ask for the rest.
struct Abilities {
  bool resources = false;
  bool prompts = false;
  bool completions = false;
  bool logging = false;
  bool tasks = false;
  bool lists_change = false;  // those of tools and prompts; that of resources always may
};

// Who wants to hear of changed resources: the server. Any thread may call these.
class ResourceListener {
 public:
  virtual ~ResourceListener() = default;

  virtual void resources_changed(FunctionRef<bool(const std::string& uri)> has_changed) = 0;
  virtual void resource_list_changed() = 0;
};

enum class TaskSupport { none, optional, required };
enum class Duration { quick, long_running };  // long ones never keep quick ones waiting

struct Tool {
  std::string name;
  std::string title = {};
  std::string description = {};
  Json input_schema = {{"type", "object"}};
  Json output_schema = nullptr;  // null: none
  Json annotations = nullptr;    // null: none
  TaskSupport task_support = TaskSupport::none;
  Duration duration = Duration::quick;
};

// Methods with a Call may take their time and run on a thread of their own, many at once; the others answer at once
// and do no I/O. Replies have the form of the protocol: {"content": […]} for a tool, {"contents": […]} for a resource,
// {"messages": […]} for a prompt, {"completion": {…}} for a completion. What lacks a list is empty.
class Features {
 public:
  virtual ~Features() = default;

  virtual Identity identity() const = 0;
  virtual Abilities abilities() const = 0;

  // Asked for once: a server offers the same tools, in this order, as long as it lives.
  virtual std::vector<Tool> tools() const = 0;
  // Arguments that do not fit are a result with isError, an unknown name an error.
  virtual Reply call_tool(const std::string& name, const Json& arguments, Call& call) = 0;

  // Entries as the protocol lists them. The server cuts lists into pages.
  virtual Reply resources(Call& call) = 0;  // {"resources": […]}
  virtual Json resource_templates() const = 0;
  // A uri that is not there is the error kResourceNotFound; the server translates it for the modern era.
  virtual Reply read_resource(const std::string& uri, Call& call) = 0;
  // Could there ever be such a resource? Nothing else is subscribed to.
  virtual bool is_resource_uri(const std::string& uri) const = 0;
  // Tells the listener until another one, or null, is named. Nobody is told while no call is under way.
  virtual void tell_changes_to(ResourceListener* listener) = 0;

  virtual Json prompts() const = 0;
  virtual Reply get_prompt(const std::string& name, const Json& arguments, Call& call) = 0;

  // `reference` is the prompt or the template, `argument` its name and the value so far.
  virtual Reply complete(const Json& reference, const Json& argument, const Json& context, Call& call) = 0;
};

}  // namespace loci::mcp
