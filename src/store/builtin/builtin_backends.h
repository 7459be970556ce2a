// The backends that come with the program: a new one is one line in builtin_backends.cc.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/stop_time.h"
#include "store/registry.h"

namespace loci {

// What backends need to know and no configuration file holds; faces take it from the environment.
struct BuiltinOptions {
  std::filesystem::path chroma_migrations = {};  // the texts that a new Chroma folder is made with
  std::optional<std::string> chroma_token = {};  // for Chroma servers
  const StopTime* stop = nullptr;                // when it has come, no server is waited for; null: never
};

// Expects a registry without built-in backends.
void register_builtin_backends(BackendRegistry& registry, const BuiltinOptions& options = {});

}  // namespace loci
