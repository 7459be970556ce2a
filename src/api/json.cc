#include "api/json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/long_integer.h"

namespace loci {
namespace {

// Builds a document. Ours, since the library's would keep the last of two equal keys, make reals of integers that are
// too long, and follow any depth.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string& digits) override {
    const bool is_integer = digits.find_first_of(".eE") == std::string::npos;
    return put(is_integer ? long_integer(digits) : Json(value));
  }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t&) override { return refuse("it has binary data"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(std::string& name) override {
    Open& object = open_.back();
    if (!object.keys.insert(name).second) return refuse("the key \"" + name + "\" stands there twice");
    object.key = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) return refuse("it has a number that is too large");
    wrong_byte_ = position;
    return refuse(reason_of(error.what()));
  }

  Json take_document() { return std::move(document_); }
  const std::string& complaint() const { return complaint_; }
  std::optional<std::size_t> wrong_byte() const { return wrong_byte_; }  // where the text is no JSON

 private:
  // An object or array whose end is not read yet.
  struct Open {
    Json value;
    std::string key = {};             // of the member that comes next
    std::set<std::string> keys = {};  // of all until now
  };

  static std::string reason_of(std::string_view text);

  bool open(Json value) {
    if (open_.size() >= static_cast<std::size_t>(kMaxJsonDepth))
      return refuse("it is nested more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    open_.push_back({.value = std::move(value)});
    return true;
  }

  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(value));
  }

  bool put(Json value) {
    if (open_.empty()) {
      document_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else {
      parent.value.get_ref<Json::object_t&>().emplace_back(std::move(parent.key), std::move(value));
    }
    return true;
  }

  bool refuse(std::string complaint) {
    complaint_ = std::move(complaint);
    return false;
  }

  std::vector<Open> open_;
  Json document_;
  std::string complaint_;
  std::optional<std::size_t> wrong_byte_;
};

// The part of the library's message that is about the text, without its own name and numbers.
std::string DocumentBuilder::reason_of(std::string_view text) {
  constexpr std::string_view kLead = "syntax error while parsing ";
  const std::size_t lead = text.find(kLead);
  if (lead != std::string_view::npos) return std::string(text.substr(lead + kLead.size()));
  const std::size_t colon = text.find(": ");
  return std::string(colon == std::string_view::npos ? text : text.substr(colon + 2));
}

std::string position_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(text.size(), byte > 0 ? byte - 1 : 0));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_start + 1);
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorKind::invalid_argument, std::string(what) + " is not usable JSON: " + why};
  };
  DocumentBuilder builder;
  try {
    if (Json::sax_parse(text.begin(), text.end(), &builder)) return builder.take_document();
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  if (!builder.wrong_byte()) return refuse(builder.complaint());
  return refuse(position_of(text, *builder.wrong_byte()) + ": " + builder.complaint());
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json object_with_room(std::size_t members) {
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(members);
  return object;
}

namespace {

constexpr std::size_t kLongestNumber = 24;  // "-2.2250738585072014e-308"

std::size_t string_bytes(std::string_view text) {
  std::size_t bytes = text.size() + 2;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      bytes += 5;  // at most \u00XX
    } else if (c == '"' || c == '\\') {
      ++bytes;
    }
  }
  return bytes;
}

}  // namespace

std::size_t text_bytes(const Json& json) {
  std::size_t bytes = 2;  // the brackets
  switch (json.type()) {
    case Json::value_t::object:
      for (const auto& [key, value] : json.get_ref<const Json::object_t&>())
        bytes += string_bytes(key) + text_bytes(value) + 2;
      return bytes;
    case Json::value_t::array:
      for (const Json& value : json) bytes += text_bytes(value) + 1;
      return bytes;
    case Json::value_t::string: return string_bytes(json.get_ref<const std::string&>());
    case Json::value_t::null:
    case Json::value_t::boolean: return std::string_view("false").size();
    default: return kLongestNumber;
  }
}

std::string to_text(const Json& json, JsonLayout layout) {
  return json.dump(layout == JsonLayout::indented ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace loci
