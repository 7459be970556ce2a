// HTTP without sockets: what a client asked, and how it is answered.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::http {

// Names in lower case, values without the blanks around them, in the order in which they were sent.
using Headers = std::vector<std::pair<std::string, std::string>>;

struct IncomingRequest {
  std::string method = {};  // as sent: "POST"
  std::string path = {};    // what was asked for, up to the question mark
  std::string query = {};   // what follows it
  Headers headers = {};
  std::string body = {};

  // The first value of a header; the name is given in lower case.
  std::optional<std::string_view> header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

struct Reply {
  int status = 200;
  Headers headers = {};
  std::string body = {};
};

Reply json_reply(int status, std::string body);

// {"error": …}, for what went wrong before there was a JSON-RPC message to answer.
Reply error_reply(int status, std::string_view message);

// The way back to the client of one request. Any thread may use it; each call returns at once, and none has an effect
// after the client has gone. Answered by one answer(), or by one begin(), any number of send() and one end().
// Letting go of a responder that has not been answered closes the connection.
class Responder {
 public:
  virtual ~Responder() = default;

  virtual void answer(Reply reply) = 0;

  // An answer whose end is not known yet. The body of the reply is its first part.
  virtual void begin(Reply reply) = 0;
  virtual void send(std::string part) = 0;
  virtual void end() = 0;

  // Calls it once, on the server's thread, if the client goes away before the answer is complete; at once if it has
  // gone already. It must not block.
  virtual void when_gone(std::function<void()> callback) = 0;
};

// What a server does with requests. Both are called on the server's thread and must not block.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // Sees a request before its body is read. A refusal is sent, and the connection ends.
  virtual std::optional<Reply> refuse(const IncomingRequest& head) = 0;

  virtual void handle(IncomingRequest request, std::shared_ptr<Responder> responder) = 0;
};

}  // namespace loci::http
