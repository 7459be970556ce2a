#include "http/server.h"

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/process_memory.h"
#include "http/connection.h"

namespace loci::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::chrono::milliseconds kAcceptAgainAfter{100};

}  // namespace

class Server::Listener {
 public:
  Listener(const ServerLimits& limits, RequestHandler& handler) : core_(std::make_shared<ServerCore>(limits, handler)) {
    core_->on_closed = [this](Connection& connection) { forget(connection); };
  }
  ~Listener() {
    // What is left holds on to the core, and the core to it.
    close_all();
    core_->on_closed = [](Connection&) {};
    core_->io.restart();
    core_->io.poll();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Status listen(const ListenAddress& address) {
    error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error == asio::error::address_in_use)
      return Error{ErrorKind::io,
                   "another program listens on " + to_string(address) + "; choose another port, or 0 for any"};
    if (error) return Error{ErrorKind::io, "cannot listen on " + to_string(address) + ": " + error.message()};
    address_ = {.host = address.host, .port = acceptor_.local_endpoint().port()};
    return {};
  }

  void run() {
    accept();
    core_->io.run();
  }

  void stop() {
    asio::post(core_->io, [this] { wind_down(); });
  }

  void stop_on_signals() {
    error_code ignored;
    for (const int number : {SIGINT, SIGTERM}) signals_.add(number, ignored);
    await_signal();
  }

  const ListenAddress& address() const { return address_; }
  std::size_t connection_count() const { return connections_.size(); }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (core_->is_stopping) return;
      if (!error) {
        take(std::move(socket));
        return accept();
      }
      // Out of descriptors, mostly: others have to go before somebody new can come.
      give_up_one();
      pause_.expires_after(kAcceptAgainAfter);
      pause_.async_wait([this](const error_code& cancelled) {
        if (!cancelled) accept();
      });
    });
  }

  void take(tcp::socket socket) {
    const bool has_room = connections_.size() < core_->limits.connections || give_up_one();
    auto connection = std::make_shared<Connection>(std::move(socket), core_);
    connections_.push_back(connection);
    if (connections_.size() == 1) look_at_clocks();
    if (has_room) return connection->start();
    Reply reply = error_reply(503, "too many clients are being served; try again");
    reply.headers.emplace_back("retry-after", "1");
    connection->turn_away(reply);
  }

  // Of those whose request has not arrived; false when there is none.
  bool give_up_one() {
    std::shared_ptr<Connection> oldest;
    for (const std::shared_ptr<Connection>& connection : connections_) {
      if (connection->is_waiting() && (!oldest || connection->waiting_since() < oldest->waiting_since()))
        oldest = connection;
    }
    if (oldest) oldest->close();
    return oldest != nullptr;
  }

  // Ticks only while somebody is connected, so that an idle server sleeps.
  void look_at_clocks() {
    clock_.expires_after(kLookEvery);
    clock_.async_wait([this](const error_code& cancelled) {
      if (cancelled) return;
      if (connections_.empty()) return give_back_free_memory();  // of all who were there
      const Connection::Clock::time_point now = Connection::Clock::now();
      const std::vector<std::shared_ptr<Connection>> all = connections_;
      for (const std::shared_ptr<Connection>& connection : all) connection->look_at_clock(now);
      if (core_->is_stopping && now > stop_by_) close_all();
      if (!connections_.empty()) look_at_clocks();
    });
  }

  void forget(Connection& connection) {
    std::erase_if(connections_, [&connection](const auto& each) { return each.get() == &connection; });
  }

  void close_all() {
    const std::vector<std::shared_ptr<Connection>> all = connections_;
    for (const std::shared_ptr<Connection>& connection : all) connection->close();
  }

  // When nobody is left nothing is left to do, and run() returns.
  void wind_down() {
    if (core_->is_stopping) return;
    core_->is_stopping = true;
    stop_by_ = Connection::Clock::now() + core_->limits.stop_time;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    const std::vector<std::shared_ptr<Connection>> all = connections_;
    for (const std::shared_ptr<Connection>& connection : all) connection->wind_down();
    signals_.clear(ignored);  // the next one does what it does by default
  }

  void await_signal() {
    signals_.async_wait([this](const error_code& cancelled, int) {
      if (!cancelled) wind_down();
    });
  }

  const std::shared_ptr<ServerCore> core_;
  tcp::acceptor acceptor_{core_->io};
  asio::steady_timer clock_{core_->io};
  asio::steady_timer pause_{core_->io};
  asio::signal_set signals_{core_->io};
  ListenAddress address_;
  Connection::Clock::time_point stop_by_;
  std::vector<std::shared_ptr<Connection>> connections_;
};

Result<std::unique_ptr<Server>> Server::open(const ListenAddress& address, const ServerLimits& limits,
                                             RequestHandler& handler) {
  auto listener = std::make_unique<Listener>(limits, handler);
  TRY(listener->listen(address));
  return std::unique_ptr<Server>(new Server(std::move(listener)));
}

Server::Server(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}
Server::~Server() = default;

const ListenAddress& Server::address() const { return listener_->address(); }
void Server::run() { listener_->run(); }
void Server::stop() { listener_->stop(); }
void Server::stop_on_signals() { listener_->stop_on_signals(); }
std::size_t Server::connection_count() const { return listener_->connection_count(); }

}  // namespace loci::http
