#include "http/test_client.h"

#include <algorithm>
#include <array>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loci::http {

using Clock = std::chrono::steady_clock;

TestClient::TestClient(const ListenAddress& address) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(address.port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) socket_.reset();
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool TestClient::read_more(Clock::time_point deadline) {
  if (has_ended_) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd ready = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) != 1) return false;
  std::array<char, 65536> buffer;
  const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size <= 0) {
    has_ended_ = true;
    return false;
  }
  received_.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

std::string TestClient::read_until(std::string_view text, std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  while (received_.find(text) == std::string::npos && read_more(deadline)) {
  }
  const std::size_t end = received_.find(text);
  const std::size_t length = end == std::string::npos ? received_.size() : end + text.size();
  std::string result = received_.substr(0, length);
  received_.erase(0, length);
  return result;
}

std::string TestClient::read_answer() {
  std::string answer = read_until("\r\n\r\n");
  constexpr std::string_view kLength = "content-length: ";
  const std::size_t at = answer.find(kLength);
  if (at == std::string::npos) return answer;
  const std::size_t length = std::stoul(answer.substr(at + kLength.size()));
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  while (received_.size() < length && read_more(deadline)) {
  }
  answer += received_.substr(0, length);
  received_.erase(0, length);
  return answer;
}

bool TestClient::is_closed_within(std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  while (read_more(deadline)) received_.clear();
  return has_ended_;
}

}  // namespace loci::http
