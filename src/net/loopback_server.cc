#include "net/loopback_server.h"

#include <algorithm>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loci {
namespace {

bool is_whole(const std::string& request) {
  const std::size_t head = request.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  const std::size_t field = request.find("Content-Length: ");
  const std::size_t body = field == std::string::npos ? 0 : std::stoul(request.substr(field + 16));
  return request.size() >= head + 4 + body;
}

}  // namespace

CannedAnswer http_answer(int status, const std::string& body, const std::string& more_headers) {
  return {.bytes = "HTTP/1.1 " + std::to_string(status) +
                   " Said\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                   "\r\n" + more_headers + "\r\n" + body};
}

LoopbackServer::LoopbackServer(std::vector<CannedAnswer> answers) : answers_(std::move(answers)) {
  listener_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* name = reinterpret_cast<struct sockaddr*>(&address);
  int ends[2] = {-1, -1};
  if (::bind(listener_.get(), name, size) != 0 || ::listen(listener_.get(), 16) != 0 ||
      ::getsockname(listener_.get(), name, &size) != 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error("no server on the loopback interface");
  }
  port_ = ntohs(address.sin_port);
  wake_read_ = FileDescriptor(ends[0]);
  wake_write_ = FileDescriptor(ends[1]);
  thread_ = std::thread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  wake_write_.reset();
  thread_.join();
}

std::vector<std::string> LoopbackServer::requests() {
  const MutexLock lock(mutex_);
  return requests_;
}

void LoopbackServer::serve() {
  for (std::size_t number = 0;; ++number) {
    struct pollfd waiting[] = {{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                               {.fd = wake_read_.get(), .events = POLLIN, .revents = 0}};
    ::poll(waiting, 2, -1);
    if (waiting[1].revents != 0) return;
    serve_one(FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)), number);
  }
}

void LoopbackServer::serve_one(FileDescriptor connection, std::size_t number) {
  std::string request;
  while (!is_whole(request)) {
    char buffer[65536];
    const ssize_t count = ::recv(connection.get(), buffer, sizeof buffer, 0);
    if (count <= 0) break;
    request.append(buffer, static_cast<std::size_t>(count));
  }
  {
    const MutexLock lock(mutex_);
    requests_.push_back(std::move(request));
  }
  const CannedAnswer& answer = answers_[std::min(number, answers_.size() - 1)];
  if (answer.stays_silent) {
    struct pollfd gone[] = {{.fd = wake_read_.get(), .events = POLLIN, .revents = 0},
                            {.fd = connection.get(), .events = POLLIN, .revents = 0}};
    ::poll(gone, 2, -1);
    return;
  }
  std::string_view rest = answer.bytes;
  while (!rest.empty()) {
    const ssize_t count = ::send(connection.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace loci
