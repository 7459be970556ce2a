// A client in the same process, for tests.
#pragma once

#include <atomic>
#include <filesystem>
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

// A server over a palace that does not exist yet, as a client of the newest legacy version sees it.
class Client {
 public:
  explicit Client(const std::filesystem::path& palace, std::string_view tools = "loci",
                  Access access = Access::read_write) {
    register_builtin_backends(registry_);
    SessionOptions options = {.access = access, .program_version = "1.2.3"};
    options.sources.flags = {.palace = palace.string(), .embedder = "hash"};
    options.sources.flags.embed = "later";
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

  Json request(const std::string& method, Json params = Json::object()) {
    const auto sink = std::make_shared<RecordingSink>();
    server_->receive({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}},
                     connection_, sink);
    EXPECT_TRUE(sink->wait_until_over(1));
    return sink->messages().empty() ? Json() : sink->messages().back();
  }
  Json call(const std::string& tool, Json arguments = Json::object()) {
    const Json response = request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    EXPECT_TRUE(response.contains("result")) << response;
    return response.contains("result") ? response["result"] : Json();
  }
  // The JSON in the text of a tool's answer.
  Json wire(const std::string& tool, Json arguments = Json::object()) {
    return Json::parse(call(tool, std::move(arguments))["content"][0]["text"].get<std::string>());
  }

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
