#include "tests/chroma/real_server.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>

#include "tests/promised.h"

namespace loci::chroma_tests {
namespace {

using namespace std::chrono_literals;

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

int run_script(const std::string& arguments) {
  const std::string command = std::string(LOCI_CHROMA_SERVER_SCRIPT) + " " + arguments + " >/dev/null 2>&1";
  return std::system(command.c_str());
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

Json to_json(const MetadataValue& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

Metadata to_metadata(const Json& json) {
  Metadata metadata;
  if (!json.is_object()) return metadata;
  for (const auto& [key, value] : json.items()) {
    if (value.is_string()) metadata.emplace(key, value.get<std::string>());
    if (value.is_boolean()) metadata.emplace(key, value.get<bool>());
    if (value.is_number_integer()) metadata.emplace(key, value.get<std::int64_t>());
    if (value.is_number_float()) metadata.emplace(key, value.get<double>());
  }
  return metadata;
}

bool is_same_vector(const std::optional<Embedding>& a, const std::optional<Embedding>& b, DistanceMetric metric) {
  if (metric != DistanceMetric::cosine || !a || !b) return a == b;
  return a->size() == b->size() && std::equal(a->begin(), a->end(), b->begin(),
                                              [](float left, float right) { return std::abs(left - right) <= 1e-5F; });
}

}  // namespace

bool has_migrations() {
  if (std::filesystem::exists(LOCI_CHROMA_MIGRATIONS_FILE)) return true;
  if (is_promised("chroma")) throw std::runtime_error("the texts of Chroma's migrations are promised and absent");
  return false;
}

bool has_server() {
  static const bool kHasServer = run_script("install") == 0;
  if (kHasServer) return true;
  if (is_promised("chroma")) throw std::runtime_error("the Chroma server is promised and absent");
  return false;
}

RealServer::~RealServer() {
  if (is_running()) kill();
}

void RealServer::start() {
  if (run_script("start " + quoted(folder_)) != 0) throw std::runtime_error("the Chroma server did not start");
  url_ = first_line(folder_ / "server.url");
  process_ = static_cast<pid_t>(std::stol(first_line(folder_ / "server.pid")));
  client_ = std::make_unique<chroma::ServerClient>(chroma::ServerPlace{.url = url_},
                                                   chroma::ServerOptions{.retry = {.attempts = 1}});
}

void RealServer::stop() {
  run_script("stop " + quoted(folder_));
  process_ = 0;
}

void RealServer::kill() {
  ::kill(process_, SIGKILL);
  // It is a child of the script that has ended, so nobody here can wait for it.
  while (::kill(process_, 0) == 0 &&
         first_line("/proc/" + std::to_string(process_) + "/stat").find(") Z") == std::string::npos) {
    std::this_thread::sleep_for(2ms);
  }
  process_ = 0;
}

Result<Json> RealServer::try_call(std::string_view method, const std::string& path, const Json& body) const {
  return client_->call(method, path, body, chroma::Repeat::must_not);
}

Json RealServer::call(std::string_view method, const std::string& path, const Json& body) const {
  Result<Json> answer = try_call(method, path, body);
  if (!answer.ok()) throw std::runtime_error(path + ": " + answer.error().message);
  return *std::move(answer);
}

ServerCollection RealServer::create(const std::string& name, DistanceMetric metric, std::size_t sync_threshold) const {
  const Json answer =
      call("POST", "collections",
           {{"name", name},
            {"configuration", {{"hnsw", {{"space", to_string(metric)}, {"sync_threshold", sync_threshold}}}}}});
  return {.id = answer.at("id"), .name = name};
}

std::vector<ServerCollection> RealServer::collections() const {
  std::vector<ServerCollection> all;
  for (const Json& each : call("GET", "collections?limit=1000"))
    all.push_back({.id = each.at("id"), .name = each.at("name")});
  return all;
}

Expected RealServer::get(const ServerCollection& collection, const std::optional<std::vector<std::string>>& ids) const {
  Json body = {{"include", {"documents", "metadatas", "embeddings"}}};
  if (ids) body["ids"] = *ids;
  const Json answer = call("POST", "collections/" + collection.id + "/get", body);
  Expected found;
  for (std::size_t i = 0; i < answer.at("ids").size(); ++i) {
    Record record{.id = answer.at("ids")[i]};
    if (const Json& document = answer.at("documents")[i]; document.is_string()) record.document = document;
    record.metadata = to_metadata(answer.at("metadatas")[i]);
    if (const Json& vector = answer.at("embeddings")[i]; vector.is_array()) record.embedding = vector.get<Embedding>();
    std::string id = record.id;
    found.emplace(std::move(id), std::move(record));
  }
  return found;
}

Json request_body(const std::vector<Record>& records) {
  Json body = {{"ids", Json::array()},
               {"documents", Json::array()},
               {"metadatas", Json::array()},
               {"embeddings", Json::array()}};
  for (const Record& record : records) {
    body["ids"].push_back(record.id);
    body["documents"].push_back(record.document);
    Json metadata = Json::object();
    for (const auto& [key, value] : record.metadata) metadata[key] = to_json(value);
    body["metadatas"].push_back(record.metadata.empty() ? Json(nullptr) : metadata);
    body["embeddings"].push_back(record.embedding ? Json(*record.embedding) : Json(nullptr));
  }
  return body;
}

std::string differences(const Expected& expected, const Expected& found, DistanceMetric metric) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> lines;
  for (const auto& [id, record] : expected) {
    const auto other = found.find(id);
    if (other == found.end()) {
      lines.push_back(id + " is gone");
      continue;
    }
    if (other->second.document != record.document) lines.push_back(id + " has another text");
    if (other->second.metadata != record.metadata) lines.push_back(id + " has other metadata");
    if (!is_same_vector(record.embedding, other->second.embedding, metric)) lines.push_back(id + " has another vector");
  }
  for (const auto& [id, record] : found) {
    if (!expected.contains(id)) lines.push_back(id + " should not be there");
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, lines.size()); ++i) text += lines[i] + "\n";
  if (lines.size() > kShown) text += std::to_string(lines.size() - kShown) + " more\n";
  return text;
}

}  // namespace loci::chroma_tests
