// Which palace, backend, collection and embedder a call is about, and who said so.
//
// Each setting is taken from the first that has it: flag > the palace's configuration > environment > the user's
// configuration > found on disk (backend only) > default. The palace itself cannot come from its own configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"
#include "store/palace_files.h"
#include "store/registry.h"

namespace loci {

inline constexpr std::string_view kDefaultCollection = "drawers";
inline constexpr std::string_view kDefaultPalaceName = "default";
inline constexpr std::string_view kUserConfigurationName = "config.json";

// A palace on a server is named by its address, http://HOST:PORT[/TENANT/DATABASE], and is one of Chroma's unless
// another backend is asked for.
inline constexpr std::string_view kServerBackend = "chroma";
bool is_server_address(std::string_view palace);

// The palace of that name: an address as it stands, or a folder.
PalaceRef palace_ref(const std::filesystem::path& palace);

// What one place says; absent: nothing.
struct SettingsLayer {
  std::optional<std::string> palace = {};  // a path, or a name without a slash
  std::optional<std::string> backend = {};
  std::optional<std::string> collection = {};
  std::optional<std::string> palace_namespace = {};
  std::optional<std::string> embedder = {};
  std::optional<std::string> embedder_url = {};
  std::optional<std::string> embed = {};  // when: see EmbedWhen
};

// When texts that were stored get their vectors.
enum class EmbedWhen {
  background,  // at once, by a worker that the face starts; the command does not wait for it
  now,         // before the command ends
  later,       // by `loci embed`
};
std::string_view to_string(EmbedWhen when);

enum class SettingOrigin { flag, palace, environment, user, found_on_disk, default_value };
// "given as a flag", "set in palace.json", …: for answers that say why.
std::string_view to_string(SettingOrigin origin);

struct Setting {
  std::string value;
  SettingOrigin origin = SettingOrigin::default_value;
};

struct Settings {
  std::filesystem::path palace;  // absolute; or a server's address
  SettingOrigin palace_origin = SettingOrigin::default_value;
  Setting backend;
  Setting collection;
  Setting embedder;
  std::optional<std::string> embedder_url;
  EmbedWhen embed = EmbedWhen::background;
  std::optional<std::string> palace_namespace;
};

// All that a face knows when it starts. Faces fill it from the command line and the environment; nothing below reads
// either of them.
struct SettingsSources {
  SettingsLayer flags = {};
  SettingsLayer environment = {};
  std::filesystem::path loci_home = {};                          // empty: there is none
  std::filesystem::path user_home = {};                          // for "~/…" in a configuration; empty: there is none
  std::optional<std::filesystem::path> configuration_file = {};  // instead of <loci_home>/config.json; must exist
  std::filesystem::path models_folder = {};                      // of the models that come with the program
  std::optional<std::string> embedder_key = {};                  // for an embedding server
  std::optional<std::string> openai_key = {};                    // for OpenAI's own server only
};

// A configuration file that was looked for.
struct ConfigurationSource {
  std::filesystem::path path;
  bool is_present = false;
  Status status = {};  // how reading it went
  SettingsLayer layer = {};
};

// The user's configuration; the palace's own comes second, when the palace is known. A file that cannot be used is in
// the list with its error.
std::vector<ConfigurationSource> read_configuration(const SettingsSources& sources);

// The user's configuration file, there or not; nothing without a home.
std::optional<std::filesystem::path> user_configuration_path(const SettingsSources& sources);

// Errors: invalid_argument: a configuration file that cannot be used, no palace to be found; io.
Result<Settings> resolve_settings(const SettingsSources& sources, BackendRegistry& registry);

// Why texts get no vectors, for settings whose embedder is "none".
std::string why_no_embedder(const Settings& settings);

// Only the palace's folder: what doctor needs when the rest cannot be resolved.
Result<std::filesystem::path> resolve_palace(const SettingsSources& sources);

}  // namespace loci
