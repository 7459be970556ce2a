// The program: picks the face. The only file that may include everything.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/environment.h"
#include "store/builtin/builtin_backends.h"
#include "store/registry.h"

int main(int argc, char** argv) {
  // Scripts ask for the version often; nothing else needs to be set up for it.
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    return std::puts("loci " LOCI_VERSION) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
  }
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  loci::BackendRegistry registry;
  loci::register_builtin_backends(registry);
  const int code = loci::run_command_line(arguments, loci::process_variable, registry, LOCI_VERSION);
  registry.close();
  return code;
}
