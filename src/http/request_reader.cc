#include "http/request_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace loci::http {
namespace {

namespace beast = boost::beast::http;
using boost::system::error_code;

std::string lower(boost::beast::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char each) { return each >= 'A' && each <= 'Z' ? static_cast<char>(each + 32) : each; });
  return result;
}

}  // namespace

struct RequestReader::Parser {
  std::string waiting;  // not parsed yet
  std::size_t head_bytes = 0;
  State state = State::incomplete;
  bool reads_body = false;
  std::optional<beast::request_parser<beast::string_body>> http;
  IncomingRequest head;
  Reply refusal;
};

RequestReader::RequestReader(const ServerLimits& limits) : limits_(limits), parser_(std::make_unique<Parser>()) {}
RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::fail(int status, std::string_view message) {
  parser_->refusal = error_reply(status, message);
  return parser_->state = State::failed;
}

void RequestReader::keep(std::string_view bytes) { parser_->waiting.append(bytes); }

RequestReader::State RequestReader::feed(std::string_view bytes) {
  keep(bytes);
  return advance();
}

RequestReader::State RequestReader::advance() {
  Parser& parser = *parser_;
  if (parser.state != State::incomplete || parser.waiting.empty()) return parser.state;
  if (!parser.http) {
    parser.http.emplace();
    parser.http->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
    parser.http->body_limit(limits_.body_bytes);
  }
  const std::size_t before = parser.waiting.size();
  std::size_t used = 0;
  error_code error;
  // One put() stops at the end of what it was made for: a line of the head, or one chunk of a body.
  while (used < before && !parser.http->is_done() && (parser.reads_body || !parser.http->is_header_done())) {
    const std::size_t taken = parser.http->put(boost::asio::buffer(parser.waiting.data() + used, before - used), error);
    used += taken;
    if (error || taken == 0) break;
  }
  parser.waiting.erase(0, used);
  if (error && error != beast::error::need_more) {
    const bool is_too_large = error == beast::error::body_limit;
    if (error == beast::error::header_limit) return fail(431, "the headers are too long");
    return refuse_parse(error.message(), is_too_large);
  }
  if (!parser.reads_body) {
    parser.head_bytes += used;
    // Beast does not count the first line, so it is not left to its limit, which then also says the same of a head that
    // comes in pieces.
    const bool is_whole = parser.http->is_header_done();
    if (parser.head_bytes + (is_whole ? 0 : parser.waiting.size()) > limits_.header_bytes)
      return fail(431, "the headers are too long");
    return is_whole ? on_head() : State::incomplete;
  }
  if (parser.http->get().body().size() > limits_.body_bytes) return refuse_parse("too large", true);
  if (parser.http->is_done()) return parser.state = State::complete;
  // What a chunk says of itself has an end, too.
  if (parser.waiting.size() > limits_.header_bytes) return refuse_parse("an endless chunk header", false);
  return State::incomplete;
}

RequestReader::State RequestReader::refuse_parse(const std::string& why, bool is_too_large) {
  if (is_too_large) return fail(413, "the body is longer than " + std::to_string(limits_.body_bytes) + " bytes");
  return fail(400, "this is no HTTP request: " + why);
}

RequestReader::State RequestReader::on_head() {
  Parser& parser = *parser_;
  const auto& message = parser.http->get();
  const std::string target(message.target());
  const std::size_t question = target.find('?');
  parser.head = {.method = std::string(message.method_string()), .path = target.substr(0, question)};
  if (question != std::string::npos) parser.head.query = target.substr(question + 1);
  for (const auto& field : message)
    parser.head.headers.emplace_back(lower(field.name_string()), std::string(field.value()));
  if (message.version() != 10 && message.version() != 11)
    return fail(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  if (parser.head.header("content-length") && parser.head.header("transfer-encoding"))
    return fail(400, "the length of the body is given in two ways");
  // Beast 1.74 forgets the limit when the first bytes of a body of known length come together with the header.
  if (parser.http->content_length().value_or(0) > limits_.body_bytes) return refuse_parse("too large", true);
  return parser.state = State::has_head;
}

const IncomingRequest& RequestReader::head() const { return parser_->head; }

bool RequestReader::wants_continue() const {
  const std::optional<std::string_view> expect = parser_->head.header("expect");
  return is_version_11() && expect && lower({expect->data(), expect->size()}) == "100-continue" &&
         !parser_->http->is_done();
}

bool RequestReader::keeps_alive() const { return parser_->http->get().keep_alive(); }
bool RequestReader::is_version_11() const { return parser_->http->get().version() == 11; }

RequestReader::State RequestReader::read_body() {
  Parser& parser = *parser_;
  if (parser.state != State::has_head) return parser.state;
  parser.reads_body = true;
  parser.http->eager(true);
  if (parser.http->is_done()) return parser.state = State::complete;
  parser.state = State::incomplete;
  return advance();
}

IncomingRequest RequestReader::take() {
  IncomingRequest request = std::move(parser_->head);
  request.body = std::move(parser_->http->get().body());
  std::string rest = std::move(parser_->waiting);
  parser_ = std::make_unique<Parser>();
  parser_->waiting = std::move(rest);
  return request;
}

const Reply& RequestReader::refusal() const { return parser_->refusal; }
std::size_t RequestReader::waiting_bytes() const { return parser_->waiting.size(); }
bool RequestReader::has_begun() const { return parser_->http.has_value() || !parser_->waiting.empty(); }

}  // namespace loci::http
