#include "mcp/call.h"

#include <utility>

namespace loci::mcp {
namespace {

constexpr std::chrono::milliseconds kProgressEvery{100};

class NoSink final : public Sink {
 public:
  void send(const Json&) override {}
  void request_is_over() override {}
};

}  // namespace

Call::Call(Message message, std::shared_ptr<Connection> connection, std::shared_ptr<Sink> sink,
           std::shared_ptr<CancelFlag> cancel)
    : message_(std::move(message)),
      connection_(std::move(connection)),
      era_(era_of(message_)),
      sink_(std::move(sink)),
      cancel_(std::move(cancel)) {
  if (era_ == Era::modern) {
    version_ = kModernVersion;
    const Json* capabilities = meta(message_, kClientCapabilitiesKey);
    client_capabilities_ = capabilities != nullptr ? *capabilities : Json::object();
  } else {
    version_ = connection_->version();
    client_capabilities_ = connection_->client_capabilities();
  }
}

bool Call::has_extension(std::string_view name) const {
  const Json* extensions = member(client_capabilities_, "extensions");
  return extensions != nullptr && member(*extensions, name) != nullptr;
}

bool Call::is_too_soon() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_progress_) return true;
  next_progress_ = now + kProgressEvery;
  return false;
}

void Call::progress(double done, std::optional<double> total, const std::string& message) {
  if (!is_too_soon()) progress_step(done, total, message);
}

void Call::progress_step(double done, std::optional<double> total, const std::string& message) {
  if (tell_progress_) return tell_progress_(message);
  const Json* token = meta(message_, "progressToken");
  if (token == nullptr || !(token->is_string() || token->is_number_integer())) return;
  if (last_progress_ && done <= *last_progress_) return;
  last_progress_ = done;
  Json params = {{"progressToken", *token}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!message.empty() && version_ >= "2025-03-26") params["message"] = message;
  notify("notifications/progress", std::move(params));
}

void Call::log(std::string_view level, std::string_view logger, Json data) {
  const std::optional<int> severity = log_severity(level);
  if (!severity) return;
  int wanted = connection_->log_severity();
  if (era_ == Era::modern) {
    const Json* asked = meta(message_, kLogLevelKey);
    const std::optional<int> least =
        asked != nullptr && asked->is_string() ? log_severity(asked->get<std::string>()) : std::nullopt;
    if (!least) return;
    wanted = *least;
  }
  if (*severity < wanted) return;
  notify("notifications/message", {{"level", level}, {"logger", logger}, {"data", std::move(data)}});
}

void Call::notify(std::string_view method, Json params) { sink_->send(notification(method, std::move(params))); }

Reply Call::ask(std::string_view method, Json params, std::chrono::milliseconds timeout) {
  if (era_ == Era::modern) return RpcError{kInternalError, "a modern client is asked by an input_required result"};
  return connection_->ask(*sink_, method, std::move(params), *cancel_, timeout);
}

void Call::become_task(std::shared_ptr<CancelFlag> cancel, TellProgress tell_progress) {
  cancel_ = std::move(cancel);
  sink_ = std::make_shared<NoSink>();
  tell_progress_ = std::move(tell_progress);
}

}  // namespace loci::mcp
