// JsonReader: a strict reader of one JSON text that its caller walks through, value by value.
//
// Import needs what common parsers give away: whether a number was written as an integer or as a real, and its very
// digits, since reading a float32 by way of a double may round twice. On lines with vectors it is also five times as
// fast as the parser that the protocols use (bench/micro/record_line_bench.cc).
//
// Accepted is what RFC 8259 calls JSON and nothing else; strings must be Unicode without NUL and without half a
// surrogate pair. There is no recursion, so no depth of nesting can exhaust the stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "loci/result.h"

namespace loci {

enum class JsonKind { object, array, string, number, boolean, null, none };
std::string_view to_string(JsonKind kind);  // "an object"

// After an error (always invalid_argument, its message naming the place) the reader is of no further use.
class JsonReader {
 public:
  // The text must outlive the reader and be valid UTF-8.
  explicit JsonReader(std::string_view text) : text_(text) {}

  // The kind of the value that comes next; none when there is no value there.
  JsonKind peek();

  // Each reads the next value, which must be of that kind.
  Result<std::string> string();
  Result<std::string_view> number();  // the digits as they stand in the text
  Result<bool> boolean();
  Status null();

  // Calls `member` with each name, in order; it must read the value that follows. A name that comes twice is an error.
  Status object(FunctionRef<Status(const std::string& name)> member);
  // Calls `element` before each element; it must read it.
  Status array(FunctionRef<Status()> element);

  // Nothing but white space may be left.
  Status end();

  // An error at the place where the reader stands: "column 12: …". Columns count bytes and begin at 1.
  Error error(std::string_view what) const;

 private:
  void skip_space();
  bool take(char c);
  Error unexpected(JsonKind expected);
  Status string_into(std::string& out);
  Status escape_into(std::string& out);
  Result<std::uint32_t> hex_unit();
  bool digits();

  std::string_view text_;
  std::size_t at_ = 0;
};

// What a number says. Errors: invalid_argument, when it does not fit.
bool is_integer(std::string_view number);
Result<std::int64_t> integer_value(std::string_view number);
Result<double> real_value(std::string_view number);
Result<float> float_value(std::string_view number);

}  // namespace loci
