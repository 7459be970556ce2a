#include "store/builtin/builtin_backends.h"

#include <cassert>

#include "store/embedded/embedded_backend.h"

namespace loci {
namespace {

struct BuiltinBackend {
  std::string_view name;
  std::unique_ptr<Backend> (*make)();
};

constexpr BuiltinBackend kBuiltinBackends[] = {
    {"loci", make_embedded_backend},
};

}  // namespace

void register_builtin_backends(BackendRegistry& registry) {
  for (const BuiltinBackend& backend : kBuiltinBackends) {
    [[maybe_unused]] const Status added = registry.add(backend.name, BackendOrigin::built_in, backend.make);
    assert(added.ok());
  }
}

}  // namespace loci
