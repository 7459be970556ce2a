// Which backends the suite runs over, and how it makes them. A new backend is one entry in backend_under_test.cc.
//
// Environment:
//   LOCI_PROMISED=loci,chroma           a backend named here fails its tests, instead of skipping them, when what it
//                                       needs is absent (tests/promised.h)
//   LOCI_CHROMA_SERVER=URL              adds the backend `chroma_server` (tools/chroma_server.sh run COMMAND… sets it)
//   LOCI_CONFORMANCE_ABSENT=NAME        adds a backend that is absent; suite_test.cc does this
//   LOCI_CONFORMANCE_DEFECT=NAME        gives the backend `memory` a defect (memory_backend.h); suite_test.cc does this
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "loci/backend.h"

namespace loci::conformance {

// One test's own place: what the backends that are made here keep is shared by them, as by processes on one machine,
// and seen by no other test.
class Site {
 public:
  virtual ~Site() = default;
  virtual std::unique_ptr<Backend> make_backend() = 0;
  // A palace that does not exist yet; the same label names the same palace.
  virtual PalaceRef palace(std::string_view label) const = 0;
};

struct BackendUnderTest {
  std::string name;
  std::function<std::unique_ptr<Site>()> make_site;
  // How far a component of a vector that comes back may be from what was given, as a part of it.
  double vector_tolerance = 0;
  // How short and how long a vector of a cosine collection may be; others are invalid_argument.
  float shortest_vector = 0;
  float longest_vector = std::numeric_limits<float>::infinity();
  // Of writers that add the same new id at once, is exactly one told that it is stored, and the others that it exists?
  bool one_add_wins = true;
  // Why the tests cannot run here, such as a server that does not answer; empty when they can.
  std::function<std::string()> why_absent = [] { return std::string(); };

  friend void PrintTo(const BackendUnderTest& backend, std::ostream* out) { *out << backend.name; }
};

std::vector<BackendUnderTest> backends_under_test();

}  // namespace loci::conformance
