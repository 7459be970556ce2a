// A real Chroma server on a folder of the test, which the test starts, stops and kills, and what it says over HTTP.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "loci/collection.h"
#include "loci/record.h"
#include "store/chroma/server_client.h"

namespace loci::chroma_tests {

using Json = nlohmann::json;

// Can a server be had? Where LOCI_PROMISED names chroma, one that cannot is a failure of the test that asks.
bool has_server();
// The same of the texts that a new folder is made with.
bool has_migrations();

// The records of a collection as they should be.
using Expected = std::map<std::string, Record>;

// A collection of the server.
struct ServerCollection {
  std::string id;
  std::string name;
};

// For one thread. Throws std::runtime_error when the server cannot be started.
class RealServer {
 public:
  // The folder's data is in folder/data, which start() makes where it is missing.
  explicit RealServer(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~RealServer();
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;

  void start();
  void stop();
  // As a power cut would: no handler runs.
  void kill();
  bool is_running() const { return process_ > 0; }
  pid_t process() const { return process_; }
  std::filesystem::path data() const { return folder_ / "data"; }
  const std::string& url() const { return url_; }

  // Below the default database. Throws on any answer that is an error.
  Json call(std::string_view method, const std::string& path, const Json& body = nullptr) const;
  // The same without throwing.
  Result<Json> try_call(std::string_view method, const std::string& path, const Json& body = nullptr) const;

  // `sync_threshold`: after how many writes the index is persisted.
  ServerCollection create(const std::string& name, DistanceMetric metric, std::size_t sync_threshold = 1'000) const;
  std::vector<ServerCollection> collections() const;
  // What is there of these ids, with vectors; without a list, everything.
  Expected get(const ServerCollection& collection, const std::optional<std::vector<std::string>>& ids = {}) const;

 private:
  std::filesystem::path folder_;
  std::string url_;
  pid_t process_ = 0;
  std::unique_ptr<chroma::ServerClient> client_;
};

// The body of add, update and upsert.
Json request_body(const std::vector<Record>& records);

// What differs, a line for each of the first few; empty: they are equal, vectors to the bit, or within 1e-5 for cosine.
std::string differences(const Expected& expected, const Expected& found, DistanceMetric metric);

}  // namespace loci::chroma_tests
