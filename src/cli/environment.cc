#include "cli/environment.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

constexpr std::size_t kLeastWidth = 20;
constexpr std::size_t kMostWidth = 120;  // longer lines are hard to read

std::size_t width_of_terminal(int descriptor, const Variables& variables) {
  struct winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const std::optional<std::string> columns = variables("COLUMNS")) {
    std::size_t width = 0;
    const auto result = std::from_chars(columns->data(), columns->data() + columns->size(), width);
    if (result.ec == std::errc() && width > 0) return width;
  }
  return 80;
}

}  // namespace

std::optional<std::string> process_variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

SettingsSources sources_from(const Variables& variables) {
  SettingsSources sources;
  sources.environment = {.palace = variables("LOCI_PALACE"),
                         .backend = variables("LOCI_BACKEND"),
                         .collection = variables("LOCI_COLLECTION"),
                         .palace_namespace = variables("LOCI_NAMESPACE"),
                         .embedder = variables("LOCI_EMBEDDER"),
                         .embedder_url = variables("LOCI_EMBEDDER_URL"),
                         .embed = variables("LOCI_EMBED")};
  sources.embedder_key = variables("LOCI_EMBEDDER_KEY");
  sources.openai_key = variables("OPENAI_API_KEY");
  sources.models_folder = variables("LOCI_MODELS").value_or(LOCI_MODELS_FOLDER);
  // The password file is asked only when HOME is not set; expand_home leaves "~" alone when that has nothing either.
  const std::filesystem::path home = variables("HOME").value_or(expand_home("~").string());
  if (home != "~") sources.user_home = home;
  if (const std::optional<std::string> loci_home = variables("LOCI_HOME")) {
    sources.loci_home = std::filesystem::absolute(expand_home(*loci_home));
  } else if (!sources.user_home.empty()) {
    sources.loci_home = sources.user_home / ".loci";
  }
  if (const std::optional<std::string> file = variables("LOCI_CONFIG")) sources.configuration_file = expand_home(*file);
  return sources;
}

Terminal terminal_for(int descriptor, const Variables& variables) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  terminal.can_redraw = variables("TERM").value_or("dumb") != "dumb";
  terminal.has_colour = terminal.can_redraw && !variables("NO_COLOR");
  terminal.width = std::min(std::max(width_of_terminal(descriptor, variables), kLeastWidth), kMostWidth);
  return terminal;
}

}  // namespace loci
