#include "ops/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <variant>
#include <vector>

namespace loci {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// What stands after the backslash for a byte that must be escaped; 'u': as \u00XX; 0: no escape.
constexpr std::array<char, 256> escape_table() {
  std::array<char, 256> table{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}
constexpr std::array<char, 256> kEscapes = escape_table();

template <typename Number>
void append_digits(std::string& out, Number value) {
  std::array<char, 32> digits;
  const std::to_chars_result result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

struct ValueWriter {
  std::string& out;

  void operator()(const std::string& text) const { append_json_string(out, text); }
  void operator()(std::int64_t value) const { append_json_integer(out, value); }
  void operator()(double value) const { append_json_real(out, value); }
  void operator()(bool value) const { out += value ? "true" : "false"; }

  template <typename Element>
  void operator()(const std::vector<Element>& list) const {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out += ',';
      (*this)(static_cast<const Element&>(list[i]));  // vector<bool> hands out proxies
    }
    out += ']';
  }
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;  // all before it is in `out`
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const char escape = kEscapes[byte];
    if (escape == 0) continue;
    out.append(text, copied, at - copied);
    copied = at + 1;
    out += '\\';
    out += escape;
    if (escape == 'u') {
      out += "00";
      out += kHexDigits[byte >> 4];
      out += kHexDigits[byte & 0xf];
    }
  }
  out.append(text, copied);
  out += '"';
}

void append_json_real(std::string& out, double value) {
  const std::size_t begin = out.size();
  append_digits(out, value);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

void append_json_integer(std::string& out, std::int64_t value) { append_digits(out, value); }

void append_json_vector(std::string& out, const Embedding& embedding) {
  out += '[';
  for (std::size_t i = 0; i < embedding.size(); ++i) {
    if (i != 0) out += ',';
    // A parser that reads -0 as an integer would lose the sign, and with it a bit of the vector.
    if (embedding[i] == 0 && std::signbit(embedding[i])) {
      out += "-0.0";
    } else {
      append_digits(out, embedding[i]);
    }
  }
  out += ']';
}

void append_json_value(std::string& out, const MetadataValue& value) { std::visit(ValueWriter{out}, value); }

void append_json_metadata(std::string& out, const Metadata& metadata) {
  out += '{';
  bool is_first = true;
  for (const auto& [key, value] : metadata) {
    if (!is_first) out += ',';
    is_first = false;
    append_json_string(out, key);
    out += ':';
    append_json_value(out, value);
  }
  out += '}';
}

bool has_json_form(const MetadataValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return std::isfinite(*real);
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    return std::all_of(reals->begin(), reals->end(), [](double real) { return std::isfinite(real); });
  }
  return true;
}

}  // namespace loci
