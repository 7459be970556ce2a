#include "bench/peers/chroma_client.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "ops/json_text.h"

namespace loci::bench {
namespace {

constexpr std::string_view kCollections = "/api/v2/tenants/default_tenant/databases/default_database/collections";

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= left ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
}

Error unavailable(std::string_view what) {
  return {ErrorKind::unavailable, std::string(what) + ": " + std::strerror(errno)};
}

// The number after "name:" among the header lines.
std::optional<std::size_t> header_number(std::string headers, std::string_view name) {
  std::transform(headers.begin(), headers.end(), headers.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t at = headers.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos) return std::nullopt;
  std::size_t number = 0;
  const char* begin = headers.data() + at + name.size() + 4;
  const auto [end, code] = std::from_chars(begin, headers.data() + headers.size(), number);
  return code == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string chroma_upsert_body(std::span<const Record> records) {
  std::string ids = "[";
  std::string documents = "[";
  std::string metadatas = "[";
  std::string embeddings = "[";
  for (const Record& record : records) {
    for (std::string* list : {&ids, &documents, &metadatas, &embeddings}) {
      if (list->size() > 1) *list += ',';
    }
    append_json_string(ids, record.id);
    append_json_string(documents, record.document);
    append_json_metadata(metadatas, record.metadata);
    embeddings += '"';
    append_base64(embeddings,
                  {reinterpret_cast<const char*>(record.embedding->data()), record.embedding->size() * sizeof(float)});
    embeddings += '"';
  }
  return R"({"ids":)" + ids + R"(],"documents":)" + documents + R"(],"metadatas":)" + metadatas + R"(],"embeddings":)" +
         embeddings + "]}";
}

Result<std::unique_ptr<ChromaClient>> ChromaClient::connect(std::string_view url, std::string_view collection) {
  const std::size_t colon = url.rfind(':');
  std::uint16_t port = 0;
  if (colon == std::string_view::npos ||
      std::from_chars(url.data() + colon + 1, url.data() + url.size(), port).ec != std::errc{}) {
    return Error{ErrorKind::invalid_argument, "the server's address should be http://127.0.0.1:PORT"};
  }
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket.is_open() || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return unavailable("cannot connect to Chroma");
  }
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

  std::unique_ptr<ChromaClient> client(new ChromaClient(std::move(socket), "127.0.0.1:" + std::to_string(port)));
  const nlohmann::json request = {
      {"name", collection}, {"configuration", {{"hnsw", {{"space", "cosine"}}}}}, {"get_or_create", true}};
  const std::string answer = TRY(client->call("POST", std::string(kCollections), request.dump()));
  const nlohmann::json created = nlohmann::json::parse(answer, nullptr, false);
  if (!created.contains("id")) return Error{ErrorKind::internal, "Chroma made no collection: " + answer};
  client->collection_path_ = std::string(kCollections) + "/" + created["id"].get<std::string>();
  return client;
}

Status ChromaClient::upsert(std::string_view body) {
  TRY(call("POST", collection_path_ + "/upsert", body));
  return ok_status();
}

Result<std::size_t> ChromaClient::count() {
  const std::string answer = TRY(call("GET", collection_path_ + "/count", {}));
  std::size_t count = 0;
  if (std::from_chars(answer.data(), answer.data() + answer.size(), count).ec != std::errc{}) {
    return Error{ErrorKind::internal, "Chroma's count is " + answer};
  }
  return count;
}

Result<std::vector<std::string>> ChromaClient::query(std::span<const float> vector, std::size_t n_results) {
  std::string body = R"({"query_embeddings":[[)";
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (i > 0) body += ',';
    append_json_real(body, static_cast<double>(vector[i]));
  }
  body += R"(]],"include":["distances"],"n_results":)" + std::to_string(n_results) + "}";
  const std::string answer = TRY(call("POST", collection_path_ + "/query", body));
  const nlohmann::json found = nlohmann::json::parse(answer, nullptr, false);
  if (!found.contains("ids")) return Error{ErrorKind::internal, "Chroma found no ids: " + answer};
  return found["ids"][0].get<std::vector<std::string>>();
}

Result<std::string> ChromaClient::call(std::string_view method, const std::string& path, std::string_view body) {
  std::string head = std::string(method) + " " + path + " HTTP/1.1\r\nHost: " + host_ +
                     "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                     "\r\n\r\n";
  for (std::string_view part : {std::string_view(head), body}) {
    while (!part.empty()) {
      const ssize_t sent = ::send(socket_.get(), part.data(), part.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return unavailable("cannot send to Chroma");
      part.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  return read_answer();
}

Result<std::string> ChromaClient::read_answer() {
  const std::string headers = TRY(read_until("\r\n\r\n"));
  const std::optional<std::size_t> length = header_number(headers, "content-length");
  if (!length) return Error{ErrorKind::internal, "Chroma's answer has no length: " + headers};
  std::string body = TRY(read_bytes(*length));
  const std::size_t space = headers.find(' ');
  if (space == std::string::npos || headers.size() < space + 2 || headers[space + 1] != '2') {
    return Error{ErrorKind::internal, "Chroma refused: " + headers.substr(0, headers.find('\r')) + " " + body};
  }
  return body;
}

Result<std::string> ChromaClient::read_until(std::string_view mark) {
  std::size_t at;
  while ((at = received_.find(mark)) == std::string::npos) TRY(receive());
  return read_bytes(at + mark.size());
}

Result<std::string> ChromaClient::read_bytes(std::size_t count) {
  while (received_.size() < count) TRY(receive());
  std::string bytes = received_.substr(0, count);
  received_.erase(0, count);
  return bytes;
}

Status ChromaClient::receive() {
  std::array<char, 16384> buffer;
  const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (count < 0 && errno == EINTR) return ok_status();
  if (count < 0) return unavailable("cannot read from Chroma");
  if (count == 0) return Error{ErrorKind::unavailable, "Chroma closed the connection"};
  received_.append(buffer.data(), static_cast<std::size_t>(count));
  return ok_status();
}

}  // namespace loci::bench
