// The fields of one call, checked against the operation's table before anything runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json.h"
#include "api/operation.h"
#include "loci/result.h"

namespace loci {

// The fields, checked and filled in as Request::make does it, for faces that have fields of their own.
Result<Json> with_defaults(const Operation& operation, Json fields);

class Request {
 public:
  // Checks the fields and fills in the defaults. A null is the same as an absent field. Errors: invalid_argument,
  // naming the field: unknown (with the nearest known name), missing, of the wrong type, not one of the choices, out of
  // range, not UTF-8, with a NUL.
  static Result<Request> make(const Operation& operation, Json fields);

  // The names must be those of the operation's fields, with the type that they have there.
  std::optional<std::string> text(std::string_view name) const;
  std::string required_text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::int64_t required_integer(std::string_view name) const;  // also for one with a default
  std::optional<double> number(std::string_view name) const;
  bool flag(std::string_view name) const;                       // absent: false
  std::vector<std::string> texts(std::string_view name) const;  // absent: empty
  const Json* object(std::string_view name) const;              // absent: null

 private:
  explicit Request(Json fields) : fields_(std::move(fields)) {}
  const Json* find(std::string_view name) const;

  Json fields_;
};

}  // namespace loci
