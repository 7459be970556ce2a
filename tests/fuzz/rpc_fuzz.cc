// JSON-RPC as clients may send it: whatever the lines are, the server goes on, answers with well-formed messages, and
// ends. Names in uris and arguments survive their way there and back.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "mcp/fake_features.h"
#include "mcp/resources.h"
#include "mcp/server.h"
#include "mcp/wire_arguments.h"

namespace {

using namespace loci;
using namespace loci::mcp;

void require(bool is_so) {
  if (!is_so) std::abort();
}

class CheckingSink final : public Sink {
 public:
  void send(const Json& message) override {
    if (message.is_array()) {
      for (const Json& part : message) check(part);
    } else {
      check(message);
    }
  }
  void request_is_over() override {}

 private:
  static void check(const Json& message) {
    require(message.is_object() && message.at("jsonrpc") == "2.0");
    require(message.contains("method") || message.contains("result") != message.contains("error"));
    const std::string line = to_text(message, JsonLayout::one_line);
    require(line.find('\n') == std::string::npos && parse_json(line, "the answer").ok());
  }
};

void check_arguments_of(std::string_view line) {
  const Result<Json> json = parse_json(line, "it");
  if (!json.ok() || !json->is_object()) return;
  constexpr WireParameter kParameters[] = {{"query", WireType::text, WireNeed::required}, {"limit", WireType::integer}};
  const Reply checked = check_arguments("tool", kParameters, *json);
  if (const auto* fields = std::get_if<Json>(&checked)) require(fields->at("query").is_string());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto parts = parse_uri(text)) require(parse_uri(make_uri(*parts)) == parts);
  FakeFeatures features;
  features.released = true;
  features.patience = std::chrono::milliseconds(0);
  Server server(features);
  const auto connection = std::make_shared<Connection>();
  const auto sink = std::make_shared<CheckingSink>();
  connection->attach(sink);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    check_arguments_of(line);
    server.receive_text(line, connection, sink);
  }
  server.finish();
  return 0;
}
