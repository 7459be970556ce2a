#include "mcp/server.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "mcp/batch.h"
#include "mcp/pages.h"
#include "mcp/shape.h"

namespace loci::mcp {
namespace {

constexpr std::string_view kLegacyMethods[] = {
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
};
constexpr std::string_view kModernMethods[] = {
    "server/discover", "tools/list",   "tools/call",          "resources/list",       "resources/read",
    "prompts/list",    "prompts/get",  "completion/complete", "subscriptions/listen", "resources/templates/list",
    "tasks/get",       "tasks/update", "tasks/cancel",
};

constexpr std::string_view kCancelled = "notifications/cancelled";

struct ListNames {
  std::string_view filter;
  std::string_view method;
};
ListNames names_of(ListKind kind) {
  switch (kind) {
    case ListKind::tools: return {"toolsListChanged", "notifications/tools/list_changed"};
    case ListKind::prompts: return {"promptsListChanged", "notifications/prompts/list_changed"};
    case ListKind::resources: return {"resourcesListChanged", "notifications/resources/list_changed"};
  }
  return {};
}

Json tool_json(const Tool& tool) {
  Json json = {{"name", tool.name}};
  if (!tool.title.empty()) json["title"] = tool.title;
  if (!tool.description.empty()) json["description"] = tool.description;
  json["inputSchema"] = tool.input_schema;
  if (!tool.output_schema.is_null()) json["outputSchema"] = tool.output_schema;
  if (!tool.annotations.is_null()) json["annotations"] = tool.annotations;
  return json;
}

bool is_tasks_method(std::string_view method) { return method.starts_with("tasks/"); }

RpcError missing_tasks_capability() {
  return {kMissingCapability,
          "this needs the extension " + std::string(kTasksExtension),
          {{"requiredCapabilities", {{"extensions", {{std::string(kTasksExtension), Json::object()}}}}}}};
}

}  // namespace

Server::Server(Features& features, WhenBusy when_busy)
    : features_(features),
      when_busy_(when_busy),
      identity_(features.identity()),
      abilities_(features.abilities()),
      tools_(features.tools()) {
  if (abilities_.resources) features_.tell_changes_to(this);
}

Server::~Server() { stop(); }

void Server::receive_text(std::string_view text, const std::shared_ptr<Connection>& connection,
                          const std::shared_ptr<Sink>& sink) {
  Result<Json> json = parse_json(text, "the message");
  if (!json.ok()) {
    sink->send(error_message(nullptr, {kParseError, json.error().message}));
    sink->request_is_over();
    return;
  }
  receive(std::move(*json), connection, sink);
}

void Server::hear_cancellation(std::string_view text, Connection& connection) {
  // Most messages need not be read for it.
  if (text.find(kCancelled) == std::string_view::npos) return;
  Result<Json> json = parse_json(text, "the message");
  if (!json.ok() || json->is_array()) return;
  const std::variant<Message, Refusal> read = read_message(std::move(*json));
  const auto* message = std::get_if<Message>(&read);
  if (message != nullptr && message->kind == Message::Kind::notification) receive_notification(*message, connection);
}

void Server::receive(Json message, const std::shared_ptr<Connection>& connection, const std::shared_ptr<Sink>& sink) {
  if (message.is_array()) return receive_batch(std::move(message), connection, sink);
  std::variant<Message, Refusal> read = read_message(std::move(message));
  if (auto* refusal = std::get_if<Refusal>(&read)) {
    sink->send(error_message(refusal->id, refusal->error));
    sink->request_is_over();
    return;
  }
  receive_message(std::move(std::get<Message>(read)), connection, sink);
}

void Server::receive_batch(Json batch, const std::shared_ptr<Connection>& connection,
                           const std::shared_ptr<Sink>& sink) {
  // Only the versions before 2025-06-18 have batches.
  const bool is_allowed = connection->is_initialized() && connection->version() < "2025-06-18";
  if (!is_allowed || batch.empty() || batch.size() > kMostInBatch) {
    sink->send(error_message(nullptr, {kInvalidRequest, "this version of the protocol has one message at a time"}));
    sink->request_is_over();
    return;
  }
  const auto answers = std::make_shared<BatchSink>(sink, count_requests(batch));
  for (Json& message : batch) {
    if (message.is_array()) message = nullptr;  // no batch in a batch
    receive(std::move(message), connection, answers);
  }
}

void Server::receive_message(Message message, const std::shared_ptr<Connection>& connection,
                             const std::shared_ptr<Sink>& sink) {
  switch (message.kind) {
    case Message::Kind::response: return connection->answered(std::move(message));
    case Message::Kind::notification: return receive_notification(message, *connection);
    case Message::Kind::request: return receive_request(std::move(message), connection, sink);
  }
}

void Server::receive_notification(const Message& message, Connection& connection) {
  if (message.method != kCancelled) return;
  const Json* id = member(message.params, "requestId");
  if (id == nullptr) return;
  connection.cancel(*id);
  subscriptions_.drop_cancelled();
}

void Server::receive_request(Message message, const std::shared_ptr<Connection>& connection,
                             const std::shared_ptr<Sink>& sink) {
  const auto refuse = [&](const RpcError& error) {
    sink->send(error_message(message.id, error));
    sink->request_is_over();
  };
  const Era era = era_of(message);
  if (era == Era::modern) {
    if (const std::optional<RpcError> error = check_metadata(message)) return refuse(*error);
  }
  if (!knows_method(message.method, era)) return refuse({kMethodNotFound, "Unknown method: " + message.method});
  std::shared_ptr<CancelFlag> cancel = connection->begin(message.id);
  if (cancel == nullptr) return refuse({kInvalidRequest, "a request with this id is under way already"});
  remember(connection);

  const auto call = std::make_shared<Call>(std::move(message), connection, sink, std::move(cancel));
  if (call->method() == "subscriptions/listen") {
    return listen(call);
  }
  const Lane lane = lane_of(*call);
  if (lane == Lane::at_once) return run(call);
  run_later(call, lane);
}

void Server::listen(const std::shared_ptr<Call>& call) {
  std::vector<std::string_view> offered;
  if (abilities_.lists_change) offered.push_back("toolsListChanged");
  if (abilities_.lists_change && abilities_.prompts) offered.push_back("promptsListChanged");
  if (abilities_.resources) offered.insert(offered.end(), {"resourcesListChanged", "resourceSubscriptions"});
  const auto is_resource = [this](const std::string& uri) { return features_.is_resource_uri(uri); };
  if (const std::optional<RpcError> error = subscriptions_.listen(call, offered, is_resource)) answer(*call, *error);
}

void Server::run_later(const std::shared_ptr<Call>& call, Lane lane) {
  // Long work would keep the client from being heard for too long.
  if (when_busy_ == WhenBusy::wait && lane == Lane::quick) workers_.wait_for_room(lane);
  if (workers_.run(lane, [this, call] { run(call); })) return;
  answer(*call, RpcError{kInternalError, "the server has too much to do; try again later"});
}

void Server::run(const std::shared_ptr<Call>& call) {
  if (call->is_cancelled()) return answer(*call, Json());
  // The one place that catches: what gets here is a bug or a lack of memory, and must not end the others' server.
  try {
    answer(*call, reply_to(call));
  } catch (const std::exception& error) {
    answer(*call, RpcError{kInternalError, std::string("this is a bug in Loci: ") + error.what()});
  }
}

void Server::answer(const Call& call, Reply reply) {
  call.connection()->end(call.id());
  if (auto* error = std::get_if<RpcError>(&reply)) {
    if (call.era() == Era::modern && error->code == kResourceNotFound) error->code = kInvalidParams;
    if (!call.is_cancelled()) call.sink()->send(error_message(call.id(), *error));
  } else if (!call.is_cancelled()) {
    Json& result = std::get<Json>(reply);
    if (call.era() == Era::modern) {
      shape_modern_result(result, call.method(), identity_json(identity_));
    } else {
      shape_legacy_result(result, call.version());
    }
    call.sink()->send(result_message(call.id(), std::move(result)));
  }
  call.sink()->request_is_over();
}

bool Server::knows_method(std::string_view method, Era era) const {
  const std::span<const std::string_view> methods =
      era == Era::modern ? std::span<const std::string_view>(kModernMethods) : kLegacyMethods;
  if (std::find(methods.begin(), methods.end(), method) == methods.end()) return false;
  if (method.starts_with("resources/")) return abilities_.resources;
  if (method.starts_with("prompts/")) return abilities_.prompts;
  if (method.starts_with("completion/")) return abilities_.completions;
  if (method.starts_with("logging/")) return abilities_.logging;
  if (is_tasks_method(method)) return abilities_.tasks;
  return true;
}

Lane Server::lane_of(const Call& call) const {
  const std::string& method = call.method();
  if (method == "tools/call") {
    const Tool* tool = find_tool(text_member(call.params(), "name"));
    if (tool == nullptr || becomes_task(*tool, call)) return Lane::quick;
    return tool->duration == Duration::long_running ? Lane::long_running : Lane::quick;
  }
  const bool takes_time = method == "resources/list" || method == "resources/read" || method == "prompts/get" ||
                          method == "completion/complete";
  return takes_time ? Lane::quick : Lane::at_once;
}

Reply Server::reply_to(const std::shared_ptr<Call>& call) {
  const std::string& method = call->method();
  const Json& params = call->params();
  if (method == "initialize") return initialize(*call);
  if (method == "server/discover") return discover(*call);
  if (method == "tools/list") return list_tools(*call);
  if (method == "tools/call") return call_tool(call);
  if (method == "resources/list") return page_of(features_.resources(*call), "resources", params);
  if (method == "resources/templates/list") {
    return page_of(Json{{"resourceTemplates", features_.resource_templates()}}, "resourceTemplates", params);
  }
  if (method == "resources/read") return read_resource(*call);
  if (method == "resources/subscribe" || method == "resources/unsubscribe") return subscribe(*call);
  if (method == "prompts/list") return page_of(Json{{"prompts", features_.prompts()}}, "prompts", params);
  if (method == "prompts/get") {
    const Json* arguments = member(params, "arguments");
    return features_.get_prompt(text_member(params, "name"), arguments != nullptr ? *arguments : Json::object(), *call);
  }
  if (method == "completion/complete") {
    const Json* reference = member(params, "ref");
    const Json* argument = member(params, "argument");
    const Json* context = member(params, "context");
    if (reference == nullptr || argument == nullptr) {
      return RpcError{kInvalidParams, "params.ref and params.argument say what to complete"};
    }
    return features_.complete(*reference, *argument, context != nullptr ? *context : Json::object(), *call);
  }
  if (method == "logging/setLevel") {
    const std::optional<int> severity = log_severity(text_member(params, "level"));
    if (!severity) return RpcError{kInvalidParams, "params.level must be debug, info, … or emergency"};
    call->connection()->set_log_severity(*severity);
    return Json::object();
  }
  if (is_tasks_method(method)) {
    if (!call->has_extension(kTasksExtension)) return missing_tasks_capability();
    if (method == "tasks/get") return tasks_.get(params);
    return method == "tasks/update" ? tasks_.update(params) : tasks_.cancel(params);
  }
  return Json::object();  // ping
}

Reply Server::initialize(Call& call) {
  const std::string asked = text_member(call.params(), "protocolVersion");
  std::string version(asked.empty() ? kLegacyVersions.front() : kNewestLegacyVersion);
  if (is_legacy_version(asked)) version = asked;
  const Json* capabilities = member(call.params(), "capabilities");
  call.connection()->initialize(version, capabilities != nullptr ? *capabilities : Json::object());
  Json result = {{"protocolVersion", version},
                 {"capabilities", this->capabilities(Era::legacy)},
                 {"serverInfo", identity_json(identity_)}};
  if (!identity_.instructions.empty()) result["instructions"] = identity_.instructions;
  return result;
}

Reply Server::discover(Call&) {
  Json result = {{"supportedVersions", supported_versions()}, {"capabilities", capabilities(Era::modern)}};
  if (!identity_.instructions.empty()) result["instructions"] = identity_.instructions;
  return result;
}

Json Server::capabilities(Era era) const {
  const Json list = abilities_.lists_change ? Json{{"listChanged", true}} : Json::object();
  Json json = {{"tools", list}};
  if (abilities_.resources) json["resources"] = {{"subscribe", true}, {"listChanged", true}};
  if (abilities_.prompts) json["prompts"] = list;
  if (abilities_.completions) json["completions"] = Json::object();
  if (abilities_.logging) json["logging"] = Json::object();
  if (abilities_.tasks && era == Era::modern) {
    json["extensions"] = {{std::string(kTasksExtension), Json::object()}};
  }
  return json;
}

Reply Server::list_tools(Call& call) {
  Json tools = Json::array();
  for (const Tool& tool : tools_) tools.push_back(tool_json(tool));
  return page_of(Json{{"tools", std::move(tools)}}, "tools", call.params());
}

const Tool* Server::find_tool(std::string_view name) const {
  const auto found = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& tool) { return tool.name == name; });
  return found == tools_.end() ? nullptr : &*found;
}

// Only the modern era has the methods that tell of a task.
bool Server::becomes_task(const Tool& tool, const Call& call) {
  return tool.task_support != TaskSupport::none && call.era() == Era::modern && call.has_extension(kTasksExtension);
}

Reply Server::call_tool(const std::shared_ptr<Call>& call) {
  const std::string name = text_member(call->params(), "name");
  const Json* given = member(call->params(), "arguments");
  if (name.empty()) return RpcError{kInvalidParams, "params.name must be the name of a tool"};
  if (given != nullptr && !given->is_object()) return RpcError{kInvalidParams, "params.arguments must be an object"};
  Json arguments = given != nullptr ? *given : Json::object();

  const Tool* tool = find_tool(name);
  const bool is_task = tool != nullptr && becomes_task(*tool, *call);
  if (tool != nullptr && tool->task_support == TaskSupport::required && !is_task) return missing_tasks_capability();
  if (!is_task) return features_.call_tool(name, arguments, *call);
  return begin_task(*call, name, std::move(arguments));
}

Reply Server::begin_task(const Call& call, const std::string& name, Json arguments) {
  std::optional<Tasks::Begun> begun = tasks_.begin();
  if (!begun) return RpcError{kInternalError, "there are too many tasks; try again later"};
  const auto work = std::make_shared<Call>(call);
  work->become_task(begun->cancel, [this, id = begun->id](const std::string& message) { tasks_.tell(id, message); });
  const bool is_taken =
      workers_.run(Lane::long_running, [this, work, name, arguments = std::move(arguments), id = begun->id] {
        try {
          Reply reply = features_.call_tool(name, arguments, *work);
          if (auto* result = std::get_if<Json>(&reply)) shape_modern_result(*result, "tools/call", nullptr);
          tasks_.end(id, std::move(reply));
        } catch (const std::exception& error) {
          tasks_.end(id, RpcError{kInternalError, std::string("this is a bug in Loci: ") + error.what()});
        }
      });
  if (!is_taken) tasks_.end(begun->id, RpcError{kInternalError, "the server has too much to do; try again later"});
  return std::move(begun->result);
}

Reply Server::read_resource(Call& call) {
  const std::string uri = text_member(call.params(), "uri");
  if (uri.empty()) return RpcError{kInvalidParams, "params.uri must be the uri of a resource"};
  return features_.read_resource(uri, call);
}

Reply Server::subscribe(Call& call) {
  const std::string uri = text_member(call.params(), "uri");
  if (!features_.is_resource_uri(uri)) return RpcError{kInvalidParams, "params.uri must be the uri of a resource"};
  if (call.method() == "resources/unsubscribe") {
    call.connection()->unsubscribe(uri);
  } else if (!call.connection()->subscribe(uri)) {
    return RpcError{kInvalidParams, "there are too many subscriptions; unsubscribe from some"};
  }
  return Json::object();
}

void Server::remember(const std::shared_ptr<Connection>& connection) {
  const MutexLock lock(mutex_);
  std::erase_if(connections_, [](const std::weak_ptr<Connection>& known) { return known.expired(); });
  for (const std::weak_ptr<Connection>& known : connections_) {
    if (known.lock() == connection) return;
  }
  connections_.push_back(connection);
}

void Server::list_changed(ListKind kind) {
  const ListNames names = names_of(kind);
  subscriptions_.list_changed(names.filter, names.method);
  for (const std::shared_ptr<Connection>& connection : connections()) {
    if (connection->is_initialized()) connection->send_unasked(notification(names.method, nullptr));
  }
}

void Server::resources_changed(FunctionRef<bool(const std::string& uri)> has_changed) {
  subscriptions_.resources_changed(has_changed);
  for (const std::shared_ptr<Connection>& connection : connections()) {
    for (const std::string& uri : connection->subscriptions()) {
      if (has_changed(uri)) connection->send_unasked(notification("notifications/resources/updated", {{"uri", uri}}));
    }
  }
}

std::vector<std::shared_ptr<Connection>> Server::connections() {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Connection>> alive;
  for (const std::weak_ptr<Connection>& known : connections_) {
    if (std::shared_ptr<Connection> connection = known.lock()) alive.push_back(std::move(connection));
  }
  return alive;
}

void Server::finish() {
  workers_.drain(Lane::quick);
  subscriptions_.end_all(identity_json(identity_));
  stop();
}

void Server::stop() {
  tasks_.cancel_all();
  for (const std::shared_ptr<Connection>& connection : connections()) connection->close();
  subscriptions_.drop_cancelled();
  workers_.stop();
  if (abilities_.resources) features_.tell_changes_to(nullptr);
}

}  // namespace loci::mcp
