// What an operation may ask of the face that called it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string_view>

#include "loci/result.h"

namespace loci {

struct Progress {
  std::string_view unit;  // "records", "bytes"
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total = {};
  std::string_view detail = {};  // "120 files, 900 drawers"
};

// How much of a drawer a face shows.
enum class DrawerParts {
  all,
  plain,  // without its metadata as they are stored, and without the places where a search matched
};

// One call has one Caller; its methods are called from the thread that runs the operation.
class Caller {
 public:
  virtual ~Caller() = default;

  // Long work says how far it is, as often as it likes.
  virtual void progress(const Progress& progress) = 0;

  // Does the caller still want the answer? Work that takes long asks between its steps.
  virtual bool is_cancelled() const = 0;

  // The stream that "-" means. Null for a face that has none.
  virtual std::istream* input() = 0;

  // Writes content that is no answer, such as an export without a file. Errors: unsupported for a face that has no such
  // stream; io.
  virtual Status output(std::string_view content) = 0;

  // Does a person ask, or a script of theirs, and not a model? Only for them files are replaced and links followed.
  virtual bool is_person() const { return false; }

  // What of found drawers has to be in the answer. Making the rest, to throw it away, would take longer than to search.
  virtual DrawerParts drawer_parts() const { return DrawerParts::all; }
};

// For faces and tests that need none of it.
class SilentCaller final : public Caller {
 public:
  void progress(const Progress&) override {}
  bool is_cancelled() const override { return false; }
  std::istream* input() override { return nullptr; }
  Status output(std::string_view) override {
    return Error{ErrorKind::unsupported, "there is no output stream; name a file"};
  }
};

}  // namespace loci
