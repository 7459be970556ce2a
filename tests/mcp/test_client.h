// A client in the same process, for tests.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api/session.h"
#include "mcp/palace_features.h"
#include "mcp/recording_sink.h"
#include "mcp/server.h"
#include "store/builtin/builtin_backends.h"

namespace loci::mcp {

// For a palace that need not exist yet; texts wait for their vectors.
inline SessionOptions session_options(const std::filesystem::path& palace, Access access = Access::read_write) {
  SessionOptions options = {.access = access, .program_version = "1.2.3"};
  options.sources.flags = {.palace = palace.string(), .embedder = "hash"};
  options.sources.flags.embed = "later";
  return options;
}

// The text of a tool's answer.
inline std::string text_of(const Json& result) { return result["content"][0]["text"].get<std::string>(); }

// A server over a palace, as a client of the newest legacy version sees it.
class Client {
 public:
  explicit Client(const std::filesystem::path& palace, std::string_view tools = "loci",
                  Access access = Access::read_write)
      : Client(session_options(palace, access), tools) {}
  explicit Client(
      SessionOptions options, std::string_view tools = "loci",
      const std::function<void(BackendRegistry&)>& add_backends = [](BackendRegistry& registry) {
        register_builtin_backends(registry);
      }) {
    add_backends(registry_);
    session_ = std::make_unique<Session>(std::move(options), registry_);
    features_ = *PalaceFeatures::make(*session_, tools, [this] { ++workers_started; });
    server_ = std::make_unique<Server>(*features_);
    connection_->initialize("2025-11-25", Json::object());
  }
  ~Client() {
    server_.reset();
    features_.reset();
    session_.reset();
    registry_.close();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends a request whose answer is waited for later.
  std::shared_ptr<RecordingSink> send(const std::string& method, Json params = Json::object()) {
    auto sink = std::make_shared<RecordingSink>();
    server_->receive({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}},
                     connection_, sink);
    return sink;
  }
  Json request(const std::string& method, Json params = Json::object()) {
    const std::shared_ptr<RecordingSink> sink = send(method, std::move(params));
    EXPECT_TRUE(sink->wait_until_over(1));
    return sink->messages().empty() ? Json() : sink->messages().back();
  }
  Json call(const std::string& tool, Json arguments = Json::object()) {
    const Json response = request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    EXPECT_TRUE(response.contains("result")) << response;
    return response.contains("result") ? response["result"] : Json();
  }
  // As a client of the modern era that knows tasks.
  Json modern(const std::string& method, Json params = Json::object()) {
    return request(method, modern_params(std::move(params)));
  }
  static Json modern_params(Json params) {
    params["_meta"] = {
        {std::string(kVersionKey), kModernVersion},
        {std::string(kClientCapabilitiesKey), {{"extensions", {{std::string(kTasksExtension), Json::object()}}}}}};
    return params;
  }
  // Where messages go from now on that belong to no request.
  std::shared_ptr<RecordingSink> hear() {
    auto sink = std::make_shared<RecordingSink>();
    connection_->attach(sink);
    return sink;
  }
  // The JSON in the text of a tool's answer.
  Json wire(const std::string& tool, Json arguments = Json::object()) {
    return Json::parse(text_of(call(tool, std::move(arguments))));
  }

  PalaceFeatures& features() { return *features_; }

  std::atomic<int> workers_started = 0;

 private:
  BackendRegistry registry_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<PalaceFeatures> features_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<Connection> connection_ = std::make_shared<Connection>();
  int id_ = 0;
};

}  // namespace loci::mcp
