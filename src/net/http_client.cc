#include "net/http_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <openssl/err.h>

#include "net/url.h"

namespace loci {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t kHeaderBytes = std::size_t{64} << 10;

std::string origin_of(const Url& url) { return (url.is_secure ? "https://" : "http://") + host_header(url); }

// One exchange with one server. Each step starts an asynchronous operation and waits for its end or for the deadline.
class Exchange {
 public:
  Exchange(const Url& url, const HttpLimits& limits)
      : url_(url), limits_(limits), start_(std::chrono::steady_clock::now()) {}

  Result<HttpResponse> run(const HttpRequest& request) {
    const Deadline connected_by = start_ + limits_.connect_timeout;
    TRY(connect(connected_by));
    if (!url_.is_secure) return talk(socket_, request);
    tls_.emplace(asio::ssl::context::tls_client);
    asio::ssl::stream<tcp::socket&> secured(socket_, *tls_);
    TRY(shake_hands(secured, connected_by));
    return talk(secured, request);
  }

 private:
  Error failure(ErrorKind kind, std::string_view what) const {
    return {kind, origin_of(url_) + " " + std::string(what)};
  }

  bool is_stopped() const { return limits_.stop != nullptr && limits_.stop->has_come(); }

  // Until the deadline, looking from time to time whether anybody still waits.
  void run_until(Deadline deadline, const std::optional<error_code>& ended) {
    if (limits_.stop == nullptr) {
      io_.run_until(deadline);
      return;
    }
    for (auto now = start_; !ended && now < deadline && !is_stopped(); now = std::chrono::steady_clock::now()) {
      io_.run_until(std::min(deadline, now + StopTime::kLookEvery));
    }
  }

  // Runs what `start(handler)` begins. On a timeout the connection is gone, so that nothing is left under way.
  template <typename Start>
  error_code wait_for(Deadline deadline, const Start& start) {
    std::optional<error_code> ended;
    start([&ended](const error_code& error, auto&&...) { ended = error; });
    io_.restart();
    run_until(deadline, ended);
    if (ended) return *ended;
    error_code ignored;
    resolver_.cancel();
    socket_.close(ignored);
    io_.restart();
    io_.run();
    return is_stopped() ? asio::error::operation_aborted : asio::error::timed_out;
  }

  Status connect(Deadline deadline) {
    tcp::resolver::results_type addresses;
    error_code error = wait_for(deadline, [&](auto handler) {
      resolver_.async_resolve(url_.host, std::to_string(url_.port), tcp::resolver::numeric_service,
                              [&addresses, handler](const error_code& result, const auto& found) mutable {
                                addresses = found;
                                handler(result);
                              });
    });
    if (error) return failure(ErrorKind::unavailable, "cannot be found: " + error.message());
    error = wait_for(deadline, [&](auto handler) { asio::async_connect(socket_, addresses, handler); });
    if (error) return failure(ErrorKind::unavailable, "cannot be reached: " + error.message());
    socket_.set_option(tcp::no_delay(true), error);  // a matter of speed only
    return {};
  }

  template <typename Stream>
  Status shake_hands(Stream& secured, Deadline deadline) {
    error_code error;
    tls_->set_default_verify_paths(error);
    secured.set_verify_mode(asio::ssl::verify_peer, error);
    if (!error) secured.set_verify_callback(asio::ssl::host_name_verification(url_.host), error);
    if (!error && SSL_set_tlsext_host_name(secured.native_handle(), url_.host.c_str()) != 1)
      error = error_code(static_cast<int>(ERR_get_error()), asio::error::get_ssl_category());
    if (!error)
      error =
          wait_for(deadline, [&](auto handler) { secured.async_handshake(asio::ssl::stream_base::client, handler); });
    if (error) return failure(ErrorKind::unavailable, "cannot be trusted: " + error.message());
    return {};
  }

  template <typename Stream>
  Result<HttpResponse> talk(Stream& stream, const HttpRequest& request) {
    const Deadline deadline = start_ + limits_.total_timeout;
    http::request<http::string_body> message;
    message.version(11);
    message.method_string(request.method);
    message.target(url_.target);
    message.set(http::field::host, host_header(url_));
    message.set(http::field::connection, "close");
    for (const auto& [name, value] : request.headers) message.set(name, value);
    message.body() = request.body;
    message.prepare_payload();
    error_code error = wait_for(deadline, [&](auto handler) { http::async_write(stream, message, handler); });
    // A server that refuses early may close before it has read everything; its answer says why.
    if (error && error != asio::error::broken_pipe && error != asio::error::connection_reset)
      return failure(ErrorKind::unavailable, "does not take the request: " + error.message());
    return answer(stream, deadline);
  }

  Error read_failure(const error_code& error) const {
    if (error == asio::error::timed_out) return failure(ErrorKind::unavailable, "does not answer in time");
    if (error == asio::error::operation_aborted)
      return failure(ErrorKind::unavailable, "has not answered, and is not waited for any longer");
    if (error == http::error::end_of_stream || error == asio::error::connection_reset)
      return failure(ErrorKind::unavailable, "closes the connection without an answer");
    if (error == http::error::body_limit)
      return failure(ErrorKind::io, "answers with more than " + std::to_string(limits_.answer_bytes) + " bytes");
    return failure(ErrorKind::io, "gives an answer that cannot be read: " + error.message());
  }

  template <typename Stream>
  Result<HttpResponse> answer(Stream& stream, Deadline deadline) {
    http::response_parser<http::string_body> parser;
    parser.header_limit(kHeaderBytes);
    parser.body_limit(limits_.answer_bytes);
    boost::beast::flat_buffer buffer;
    error_code error =
        wait_for(deadline, [&](auto handler) { http::async_read_header(stream, buffer, parser, handler); });
    // Beast 1.74 forgets the limit when the first bytes of a body of known length come together with the header.
    if (!error && parser.content_length().value_or(0) > limits_.answer_bytes) error = http::error::body_limit;
    if (!error) error = wait_for(deadline, [&](auto handler) { http::async_read(stream, buffer, parser, handler); });
    if (error) return read_failure(error);
    auto& message = parser.get();
    return HttpResponse{.status = static_cast<int>(message.result_int()),
                        .body = std::move(message.body()),
                        .retry_after = std::string(message[http::field::retry_after])};
  }

  const Url& url_;
  const HttpLimits& limits_;
  const Deadline start_;
  asio::io_context io_{1};
  tcp::resolver resolver_{io_};
  tcp::socket socket_{io_};
  std::optional<asio::ssl::context> tls_;
};

Status check_headers(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if ((name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return Error{ErrorKind::invalid_argument,
                   "the header " + name.substr(0, name.find_first_of("\r\n")) + " has a line end in it"};
  }
  return {};
}

}  // namespace

Result<HttpResponse> send_http(const HttpRequest& request, const HttpLimits& limits) {
  const Url url = TRY(parse_url(request.url));
  TRY(check_headers(request));
  // Beast reports what it cannot build (such as a header name with a space) by throwing.
  try {
    return Exchange(url, limits).run(request);
  } catch (const boost::system::system_error& error) {
    return Error{ErrorKind::invalid_argument, "the request to " + origin_of(url) + " cannot be sent: " + error.what()};
  }
}

}  // namespace loci
