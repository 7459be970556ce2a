#include "api/json.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <set>
#include <utility>
#include <vector>

namespace loci {
namespace {

// Leaves the parser, whose callback has no other way to stop it.
struct Refused : std::exception {
  explicit Refused(std::string text) : reason(std::move(text)) {}
  std::string reason;
};

// Watches a parse for nesting and for keys that stand twice.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxJsonDepth)
      throw Refused("it is nested more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    switch (event) {
      case Json::parse_event_t::object_start: keys_.emplace_back(); break;
      case Json::parse_event_t::object_end: keys_.pop_back(); break;
      case Json::parse_event_t::key: {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!keys_.back().insert(key).second) throw Refused("the key \"" + key + "\" stands there twice");
        break;
      }
      default: break;
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects that are open now
};

// The part of the library's message that is about the text, without its own name and numbers.
std::string reason_of(const Json::parse_error& error) {
  const std::string_view text = error.what();
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
  try {
    Watch watch;
    return Json::parse(text.begin(), text.end(),
                       [&](int depth, Json::parse_event_t event, Json& parsed) { return watch(depth, event, parsed); });
  } catch (const Json::parse_error& error) {
    return refuse(position_of(text, error.byte) + ": " + reason_of(error));
  } catch (const Refused& refused) {
    return refuse(refused.reason);
  } catch (const Json::out_of_range&) {
    return refuse("it has a number that is too large");
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
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
