#include "ops/json_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "base/utf8.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kFewNames = 16;  // so many names are compared one by one; more get a set

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

// The bytes that end a run of plain characters in a string.
constexpr std::array<bool, 256> special_bytes() {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = true;
  table['"'] = true;
  table['\\'] = true;
  return table;
}
constexpr std::array<bool, 256> kSpecial = special_bytes();

// Remembers names and says whether one came before.
class SeenNames {
 public:
  bool insert(const std::string& name) {
    if (few_.size() < kFewNames) {
      if (std::find(few_.begin(), few_.end(), name) != few_.end()) return false;
      few_.push_back(name);
      return true;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    return many_.insert(name).second;
  }

 private:
  std::vector<std::string> few_;
  std::unordered_set<std::string> many_;
};

Error out_of_range(std::string_view number, std::string_view type) {
  constexpr std::size_t kShownDigits = 40;
  std::string shown(number.substr(0, kShownDigits));
  if (number.size() > kShownDigits) shown += "…";
  return {ErrorKind::invalid_argument, "the number " + shown + " does not fit into " + std::string(type)};
}

}  // namespace

std::string_view to_string(JsonKind kind) {
  switch (kind) {
    case JsonKind::object: return "an object";
    case JsonKind::array: return "a list";
    case JsonKind::string: return "a string";
    case JsonKind::number: return "a number";
    case JsonKind::boolean: return "true or false";
    case JsonKind::null: return "null";
    case JsonKind::none: break;
  }
  return "no value";
}

Error JsonReader::error(std::string_view what) const {
  return {ErrorKind::invalid_argument, "column " + std::to_string(at_ + 1) + ": " + std::string(what)};
}

Error JsonReader::unexpected(JsonKind expected) {
  const JsonKind found = peek();
  if (found == JsonKind::none && at_ == text_.size()) {
    return error("the text ends where " + std::string(to_string(expected)) + " should be");
  }
  if (found == JsonKind::none) return error("this is not JSON; here should be " + std::string(to_string(expected)));
  return error("here is " + std::string(to_string(found)) + ", but it should be " + std::string(to_string(expected)));
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
    ++at_;
}

bool JsonReader::take(char c) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

JsonKind JsonReader::peek() {
  skip_space();
  if (at_ == text_.size()) return JsonKind::none;
  switch (text_[at_]) {
    case '{': return JsonKind::object;
    case '[': return JsonKind::array;
    case '"': return JsonKind::string;
    case 't':
    case 'f': return JsonKind::boolean;
    case 'n': return JsonKind::null;
    default: return text_[at_] == '-' || is_digit(text_[at_]) ? JsonKind::number : JsonKind::none;
  }
}

Result<std::string> JsonReader::string() {
  std::string out;
  TRY(string_into(out));
  return out;
}

Status JsonReader::string_into(std::string& out) {
  if (peek() != JsonKind::string) return unexpected(JsonKind::string);
  ++at_;
  while (true) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !kSpecial[static_cast<unsigned char>(text_[at_])]) ++at_;
    out.append(text_, begin, at_ - begin);
    if (at_ == text_.size()) return error("the text ends inside a string");
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') return error("a control character inside a string must be escaped");
    TRY(escape_into(out));
  }
  ++at_;
  return ok_status();
}

Status JsonReader::escape_into(std::string& out) {
  const std::size_t begin = at_++;
  const char kind = at_ < text_.size() ? text_[at_++] : '\0';
  switch (kind) {
    case '"':
    case '\\':
    case '/': out += kind; return ok_status();
    case 'b': out += '\b'; return ok_status();
    case 'f': out += '\f'; return ok_status();
    case 'n': out += '\n'; return ok_status();
    case 'r': out += '\r'; return ok_status();
    case 't': out += '\t'; return ok_status();
    case 'u': break;
    default: at_ = begin; return error("a backslash must be followed by one of \"\\/bfnrtu");
  }
  std::uint32_t code_point = TRY(hex_unit());
  if (is_high_surrogate(code_point) && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const std::uint32_t low = TRY(hex_unit());
    if (is_low_surrogate(low)) code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
  }
  if (is_high_surrogate(code_point) || is_low_surrogate(code_point)) {
    at_ = begin;
    return error("half of a surrogate pair is not a character");
  }
  if (code_point == 0) {
    at_ = begin;
    return error("the character NUL (\\u0000) is not accepted in text");
  }
  append_utf8(out, code_point);
  return ok_status();
}

Result<std::uint32_t> JsonReader::hex_unit() {
  std::uint32_t unit = 0;
  const std::string_view hex = text_.substr(at_, 4);
  const auto [end, code] = std::from_chars(hex.data(), hex.data() + hex.size(), unit, 16);
  if (code != std::errc{} || end != hex.data() + 4) return error("\\u must be followed by four hexadecimal digits");
  at_ += 4;
  return unit;
}

bool JsonReader::digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ != begin;
}

Result<std::string_view> JsonReader::number() {
  if (peek() != JsonKind::number) return unexpected(JsonKind::number);
  const std::size_t begin = at_;
  if (text_[at_] == '-') ++at_;
  if (at_ < text_.size() && text_[at_] == '0') {
    ++at_;
    if (at_ < text_.size() && is_digit(text_[at_])) return error("a number must not begin with 0");
  } else if (!digits()) {
    return error("a minus must be followed by a digit");
  }
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (!digits()) return error("the point of a number must be followed by a digit");
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (!digits()) return error("the exponent of a number must have a digit");
  }
  return text_.substr(begin, at_ - begin);
}

Result<bool> JsonReader::boolean() {
  skip_space();
  for (const std::string_view word : {"true", "false"}) {
    if (text_.substr(at_, word.size()) != word) continue;
    at_ += word.size();
    return word == "true";
  }
  return peek() == JsonKind::boolean ? error("this is not JSON; here should be true or false")
                                     : unexpected(JsonKind::boolean);
}

Status JsonReader::null() {
  skip_space();
  if (text_.substr(at_, 4) != "null") {
    return peek() == JsonKind::null ? error("this is not JSON; here should be null") : unexpected(JsonKind::null);
  }
  at_ += 4;
  return ok_status();
}

Status JsonReader::object(FunctionRef<Status(const std::string& name)> member) {
  if (!take('{')) return unexpected(JsonKind::object);
  if (take('}')) return ok_status();
  SeenNames seen;
  do {
    const std::string name = TRY(string());
    if (!seen.insert(name)) return error("the name " + in_quotes(name) + " comes twice");
    if (!take(':')) return error("a name must be followed by a colon");
    TRY(member(name));
  } while (take(','));
  return take('}') ? ok_status() : error("here should be a comma or a closing brace");
}

Status JsonReader::array(FunctionRef<Status()> element) {
  if (!take('[')) return unexpected(JsonKind::array);
  if (take(']')) return ok_status();
  do {
    TRY(element());
  } while (take(','));
  return take(']') ? ok_status() : error("here should be a comma or a closing bracket");
}

Status JsonReader::end() {
  skip_space();
  return at_ == text_.size() ? ok_status() : error("more text follows after the value");
}

bool is_integer(std::string_view number) { return number.find_first_of(".eE") == std::string_view::npos; }

Result<std::int64_t> integer_value(std::string_view number) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (code != std::errc{}) return out_of_range(number, "64 bits");
  return value;
}

Result<double> real_value(std::string_view number) {
  double value = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (code != std::errc{} || !std::isfinite(value)) return out_of_range(number, "a double");
  return value;
}

Result<float> float_value(std::string_view number) {
  float value = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (code == std::errc{} && std::isfinite(value)) return value;
  // Too small is not too large: it becomes the nearest float32, a denormal or zero.
  const double wide = TRY(real_value(number));
  if (std::abs(wide) > std::numeric_limits<float>::max()) return out_of_range(number, "a float32");
  return static_cast<float>(wide);
}

}  // namespace loci
