// One client's connection: reads requests, has them answered one at a time, and ends when the client is too slow. All
// of it runs on the server's thread, but for the responders that it gives away.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "http/limits.h"
#include "http/message.h"
#include "http/request_reader.h"

namespace loci::http {

class Connection;

// What all connections of a server share; lives as long as the last of them.
struct ServerCore {
  ServerCore(const ServerLimits& server_limits, RequestHandler& request_handler)
      : limits(server_limits), handler(request_handler) {}

  const ServerLimits limits;
  RequestHandler& handler;
  boost::asio::io_context io{1};
  bool is_stopping = false;
  std::function<void(Connection&)> on_closed;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<ServerCore> core);
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();

  // Has its time run out? Then it is closed; a stream that has been silent for long shows a sign of life.
  void look_at_clock(Clock::time_point now);

  // No whole request has come: it can be given up for another client.
  bool is_waiting() const { return phase_ == Phase::waiting || phase_ == Phase::reading; }
  Clock::time_point waiting_since() const { return phase_start_; }

  // Answers with this before anything was asked, and ends.
  void turn_away(const Reply& reply);

  // Takes no further request, and ends when the one under way is answered. Streams end at once.
  void wind_down();
  void close();

 private:
  class Handle;
  enum class Phase {
    waiting,    // for the first byte of a request
    reading,    // of a request
    answering,  // a handler has the request
    closing,    // the last answer is sent; what still comes in is thrown away, so that the client gets to read it
    closed,
  };

  void enter(Phase phase, std::chrono::milliseconds time);
  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t size);
  void go_on(RequestReader::State state);
  void judge_head();
  void hand_over();
  void refuse(const Reply& reply);

  void answer(std::uint64_t exchange, const Reply& reply);
  void begin(std::uint64_t exchange, const Reply& reply);
  void send(std::uint64_t exchange, const std::string& part);
  void end(std::uint64_t exchange);
  void when_gone(std::uint64_t exchange, std::function<void()> callback);
  bool is_current(std::uint64_t exchange) const { return phase_ == Phase::answering && exchange == exchange_; }

  void write(std::string bytes);
  void write_next();
  void on_written();
  void finish_exchange();
  void linger();

  const std::shared_ptr<ServerCore> core_;
  boost::asio::ip::tcp::socket socket_;
  RequestReader reader_;
  std::string input_;
  Phase phase_ = Phase::waiting;
  Clock::time_point phase_start_ = Clock::now();
  Clock::time_point read_by_ = Clock::time_point::max();
  Clock::time_point written_by_ = Clock::time_point::max();
  Clock::time_point last_written_ = Clock::now();
  bool is_reading_ = false;

  // Of the request under way.
  std::uint64_t exchange_ = 0;
  bool is_head_request_ = false;
  bool keeps_alive_ = true;
  bool is_chunked_ = false;
  bool is_stream_ = false;
  bool is_answered_ = false;
  std::function<void()> when_gone_;

  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::string writing_;
};

}  // namespace loci::http
