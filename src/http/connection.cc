#include "http/connection.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "http/reply_text.h"
#include "http/sse.h"

namespace loci::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kReadBytes = std::size_t{16} << 10;
constexpr std::size_t kReadAheadBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kLingerTime{2'000};

}  // namespace

// Passes everything on to the server's thread.
class Connection::Handle final : public Responder {
 public:
  Handle(std::shared_ptr<Connection> connection, std::uint64_t exchange)
      : connection_(std::move(connection)), exchange_(exchange) {}
  ~Handle() override {
    // An answer that never came; nothing happens when it did.
    later([](Connection& connection, std::uint64_t exchange) {
      if (connection.is_current(exchange) && !connection.is_answered_) connection.close();
    });
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void answer(Reply reply) override {
    later([reply = std::move(reply)](Connection& connection, std::uint64_t exchange) {
      connection.answer(exchange, reply);
    });
  }
  void begin(Reply reply) override {
    later([reply = std::move(reply)](Connection& connection, std::uint64_t exchange) {
      connection.begin(exchange, reply);
    });
  }
  void send(std::string part) override {
    later(
        [part = std::move(part)](Connection& connection, std::uint64_t exchange) { connection.send(exchange, part); });
  }
  void end() override {
    later([](Connection& connection, std::uint64_t exchange) { connection.end(exchange); });
  }
  void when_gone(std::function<void()> callback) override {
    later([callback = std::move(callback)](Connection& connection, std::uint64_t exchange) {
      connection.when_gone(exchange, callback);
    });
  }

 private:
  template <typename Work>
  void later(Work work) {
    asio::post(connection_->core_->io, [connection = connection_, exchange = exchange_, work = std::move(work)] {
      work(*connection, exchange);
    });
  }

  const std::shared_ptr<Connection> connection_;
  const std::uint64_t exchange_;
};

Connection::Connection(tcp::socket socket, std::shared_ptr<ServerCore> core)
    : core_(std::move(core)), socket_(std::move(socket)), reader_(core_->limits) {}

void Connection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);  // a matter of speed only
  enter(Phase::waiting, core_->limits.head_time);
  read_more();
}

void Connection::enter(Phase phase, std::chrono::milliseconds time) {
  phase_ = phase;
  phase_start_ = Clock::now();
  read_by_ = time == std::chrono::milliseconds::max() ? Clock::time_point::max() : phase_start_ + time;
}

void Connection::look_at_clock(Clock::time_point now) {
  if (now > read_by_ || now > written_by_) return close();
  if (phase_ == Phase::answering && is_stream_ && !is_answered_ && now > last_written_ + core_->limits.heartbeat_time)
    send(exchange_, std::string(kSseHeartbeat));
}

void Connection::read_more() {
  if (is_reading_ || phase_ == Phase::closed) return;
  is_reading_ = true;
  input_.resize(kReadBytes);
  socket_.async_read_some(asio::buffer(input_), [self = shared_from_this()](const error_code& error, std::size_t size) {
    self->is_reading_ = false;
    self->on_read(error, size);
  });
}

void Connection::on_read(const error_code& error, std::size_t size) {
  if (phase_ == Phase::closed) return;
  if (error) return close();
  if (phase_ == Phase::closing) return read_more();
  const std::string_view bytes(input_.data(), size);
  if (phase_ == Phase::answering) {
    // Only watched for its end; a client that sends far ahead has to wait.
    reader_.keep(bytes);
    if (reader_.waiting_bytes() < kReadAheadBytes) read_more();
    return;
  }
  if (phase_ == Phase::waiting) enter(Phase::reading, core_->limits.head_time);
  go_on(reader_.feed(bytes));
}

void Connection::go_on(RequestReader::State state) {
  switch (state) {
    case RequestReader::State::incomplete: return read_more();
    case RequestReader::State::has_head: return judge_head();
    case RequestReader::State::complete: return hand_over();
    case RequestReader::State::failed: return refuse(reader_.refusal());
  }
}

void Connection::judge_head() {
  is_head_request_ = reader_.head().method == "HEAD";
  if (const std::optional<Reply> refusal = core_->handler.refuse(reader_.head())) return refuse(*refusal);
  enter(Phase::reading, core_->limits.body_time);
  if (reader_.wants_continue()) write("HTTP/1.1 100 Continue\r\n\r\n");
  go_on(reader_.read_body());
}

void Connection::hand_over() {
  keeps_alive_ = reader_.keeps_alive() && !core_->is_stopping;
  is_chunked_ = reader_.is_version_11();
  is_stream_ = false;
  is_answered_ = false;
  ++exchange_;
  enter(Phase::answering, std::chrono::milliseconds::max());
  read_more();
  core_->handler.handle(reader_.take(), std::make_shared<Handle>(shared_from_this(), exchange_));
}

void Connection::refuse(const Reply& reply) {
  keeps_alive_ = false;
  ++exchange_;
  enter(Phase::answering, std::chrono::milliseconds::max());
  is_stream_ = false;
  is_answered_ = true;
  write(reply_text(reply, {.is_head_request = is_head_request_, .keeps_alive = false}));
}

void Connection::turn_away(const Reply& reply) { refuse(reply); }

void Connection::answer(std::uint64_t exchange, const Reply& reply) {
  if (!is_current(exchange) || is_answered_ || is_stream_) return;
  is_answered_ = true;
  write(reply_text(reply, {.is_head_request = is_head_request_, .keeps_alive = keeps_alive_}));
}

void Connection::begin(std::uint64_t exchange, const Reply& reply) {
  if (!is_current(exchange) || is_answered_ || is_stream_) return;
  is_stream_ = true;
  if (!is_chunked_) keeps_alive_ = false;
  Reply head = {.status = reply.status, .headers = reply.headers};
  write(reply_text(head, {.is_stream = true, .is_chunked = is_chunked_, .keeps_alive = keeps_alive_}));
  if (!reply.body.empty()) send(exchange, reply.body);
  if (core_->is_stopping) end(exchange);
}

void Connection::send(std::uint64_t exchange, const std::string& part) {
  if (!is_current(exchange) || is_answered_ || !is_stream_ || part.empty()) return;
  write(is_chunked_ ? fmt::format("{:x}\r\n{}\r\n", part.size(), part) : part);
}

void Connection::end(std::uint64_t exchange) {
  if (!is_current(exchange) || is_answered_ || !is_stream_) return;
  is_answered_ = true;
  write(is_chunked_ ? "0\r\n\r\n" : "");
}

void Connection::when_gone(std::uint64_t exchange, std::function<void()> callback) {
  if (is_current(exchange)) {
    if (!is_answered_) when_gone_ = std::move(callback);
  } else if (phase_ == Phase::closed) {
    callback();
  }
}

void Connection::write(std::string bytes) {
  unsent_bytes_ += bytes.size();
  unsent_.push_back(std::move(bytes));
  if (unsent_bytes_ > core_->limits.unsent_bytes && unsent_.size() > 1) return close();
  write_next();
}

void Connection::write_next() {
  if (!writing_.empty() || phase_ == Phase::closed) return;
  while (!unsent_.empty()) {
    writing_ += unsent_.front();
    unsent_.pop_front();
  }
  unsent_bytes_ = 0;
  if (writing_.empty()) return on_written();
  written_by_ = Clock::now() + core_->limits.write_time;
  asio::async_write(socket_, asio::buffer(writing_), [self = shared_from_this()](const error_code& error, std::size_t) {
    self->writing_.clear();
    if (error) return self->close();
    self->last_written_ = Clock::now();
    self->written_by_ = Clock::time_point::max();
    self->on_written();
  });
}

void Connection::on_written() {
  if (!unsent_.empty()) return write_next();
  if (phase_ == Phase::answering && is_answered_) finish_exchange();
}

void Connection::finish_exchange() {
  when_gone_ = nullptr;
  is_stream_ = false;
  if (!keeps_alive_ || core_->is_stopping) return linger();
  enter(Phase::waiting, core_->limits.idle_time);
  if (!reader_.has_begun()) return read_more();
  enter(Phase::reading, core_->limits.head_time);
  go_on(reader_.advance());
}

void Connection::linger() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  enter(Phase::closing, kLingerTime);
  read_more();
}

void Connection::wind_down() {
  if (is_waiting()) return close();
  keeps_alive_ = false;
  if (phase_ == Phase::answering && is_stream_) end(exchange_);
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  const bool was_under_way = phase_ == Phase::answering && !is_answered_;
  enter(Phase::closed, std::chrono::milliseconds::max());
  error_code ignored;
  socket_.close(ignored);
  unsent_.clear();
  const std::function<void()> callback = std::exchange(when_gone_, nullptr);
  if (was_under_way && callback) callback();
  core_->on_closed(*this);
}

}  // namespace loci::http
