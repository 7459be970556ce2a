// Result<T> and Status: how every fallible function of Loci answers.
//
// The kind of an error is part of the contract: callers act on it, the conformance suite asserts it, and each
// face translates it (exit code, HTTP status, JSON-RPC code). The shape follows std::expected, which g++ 12 has
// only in C++23 mode, so that a later switch is mechanical.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace loci {

enum class ErrorKind {
  invalid_argument,
  dimension_mismatch,
  embedder_mismatch,
  unsupported_filter,
  unsupported_maintenance_kind,
  unsupported,
  palace_not_found,
  collection_not_initialized,
  not_found,
  already_exists,
  backend_closed,
  version_mismatch,
  busy,
  unavailable,
  io,
  corruption,
  internal,
};

// The name that JSON answers and logs use: "invalid_argument".
constexpr std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::dimension_mismatch: return "dimension_mismatch";
    case ErrorKind::embedder_mismatch: return "embedder_mismatch";
    case ErrorKind::unsupported_filter: return "unsupported_filter";
    case ErrorKind::unsupported_maintenance_kind: return "unsupported_maintenance_kind";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::palace_not_found: return "palace_not_found";
    case ErrorKind::collection_not_initialized: return "collection_not_initialized";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::already_exists: return "already_exists";
    case ErrorKind::backend_closed: return "backend_closed";
    case ErrorKind::version_mismatch: return "version_mismatch";
    case ErrorKind::busy: return "busy";
    case ErrorKind::unavailable: return "unavailable";
    case ErrorKind::io: return "io";
    case ErrorKind::corruption: return "corruption";
    case ErrorKind::internal: return "internal";
  }
  return "internal";
}

// What went wrong, with which thing, and what to do about it: "record a1 has 384 dimensions; the collection has 768".
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  // By value, so that `for (x : *f())` does not walk through something that is gone.
  T value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// A Result without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const {
    assert(!ok_);
    return error_;
  }
  void value() const { assert(ok_); }

 private:
  Error error_;
  bool ok_ = true;
};

inline Status ok_status() { return {}; }

}  // namespace loci

// Takes the value out of a Result, or returns its error from the enclosing function. The counter gives each use a name
// of its own, so that one may stand inside another.
#define TRY(expression) LOCI_TRY_AS(expression, __COUNTER__)
#define LOCI_TRY_AS(expression, number) LOCI_TRY_WITH(expression, number)
#define LOCI_TRY_WITH(expression, number)                                         \
  __extension__({                                                                 \
    auto loci_try_##number = (expression);                                        \
    if (!loci_try_##number.ok()) return ::loci::Error(loci_try_##number.error()); \
    std::move(loci_try_##number).value();                                         \
  })
