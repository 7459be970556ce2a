#include "store/builtin/builtin_backends.h"

#include <cassert>

#include "store/chroma/chroma_backend.h"
#include "store/embedded/embedded_backend.h"
#include "store/memtomem/memtomem_backend.h"

namespace loci {

void register_builtin_backends(BackendRegistry& registry, const BuiltinOptions& options) {
  const auto add = [&](std::string_view name, BackendFactory factory) {
    [[maybe_unused]] const Status added = registry.add(name, BackendOrigin::built_in, std::move(factory));
    assert(added.ok());
  };
  add("loci", [] { return make_embedded_backend(); });
  add("chroma", [options] {
    return make_chroma_backend({.migrations = options.chroma_migrations},
                               {.token = options.chroma_token, .stop = options.stop});
  });
  add("memtomem", [] { return make_memtomem_backend(); });
}

}  // namespace loci
