// A zip archive in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "loci/result.h"

namespace loci {

class ZipArchive {
 public:
  // The bytes outlive the archive. All members together give at most `unpacked_bytes`. Errors: corruption.
  static Result<ZipArchive> open(std::string_view bytes, std::size_t unpacked_bytes);

  ZipArchive(ZipArchive&&) noexcept;
  ZipArchive& operator=(ZipArchive&&) noexcept;
  ~ZipArchive();

  bool contains(const std::string& name) const;

  // Hands the content over in pieces. Errors: not_found; corruption; invalid_argument beyond the limit; those of
  // `take`.
  Status read(const std::string& name, FunctionRef<Status(std::string_view piece)> take);

 private:
  struct State;
  explicit ZipArchive(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace loci
