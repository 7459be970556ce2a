#include "cli/worker.h"

#include <filesystem>

#include "api/embedding_worker.h"
#include "base/detached_process.h"

namespace loci {

std::vector<std::string> worker_arguments(const Settings& settings, const GlobalOptions& globals) {
  std::vector<std::string> arguments = {"embed",
                                        "--worker",
                                        "--palace=" + settings.palace.string(),
                                        "--backend=" + settings.backend.value,
                                        "--collection=" + settings.collection.value,
                                        "--embedder=" + settings.embedder.value};
  if (settings.embedder_url) arguments.push_back("--embedder-url=" + *settings.embedder_url);
  if (settings.palace_namespace) arguments.push_back("--namespace=" + *settings.palace_namespace);
  if (globals.configuration_file)
    arguments.push_back("--config=" + std::filesystem::absolute(*globals.configuration_file).string());
  return arguments;
}

void start_worker(Session& session, const GlobalOptions& globals) {
  if (!wants_worker(session)) return;
  const Result<Settings> settings = session.settings();
  const Result<std::filesystem::path> program = this_program();
  if (!settings.ok() || !program.ok()) return;
  static_cast<void>(start_detached(*program, worker_arguments(*settings, globals)));
}

}  // namespace loci
