#include "api/settings.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "api/configuration_file.h"
#include "base/file.h"
#include "embed/make_embedder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

enum class Presence { optional, required };

ConfigurationSource read_source(const fs::path& path, std::span<const std::string_view> keys, Presence presence) {
  ConfigurationSource source = {.path = path};
  if (is_server_address(path.native())) return source;  // a server has no such file
  const Result<std::string> content = read_file(path, kMaxConfigurationBytes);
  if (!content.ok()) {
    const bool is_missing = content.error().kind == ErrorKind::not_found;
    if (is_missing && presence == Presence::optional) return source;
    source.status = Error{is_missing ? ErrorKind::invalid_argument : content.error().kind, content.error().message};
    return source;
  }
  source.is_present = true;
  Result<SettingsLayer> layer = parse_configuration(*content, path, keys);
  if (layer.ok()) {
    source.layer = std::move(*layer);
  } else {
    source.status = layer.error();
  }
  return source;
}

std::optional<ConfigurationSource> read_user_source(const SettingsSources& sources) {
  const std::optional<fs::path> path = user_configuration_path(sources);
  if (!path) return std::nullopt;
  return read_source(*path, user_configuration_keys(),
                     sources.configuration_file ? Presence::required : Presence::optional);
}

Result<EmbedWhen> parse_embed_when(const Setting& setting) {
  for (const EmbedWhen when : {EmbedWhen::background, EmbedWhen::now, EmbedWhen::later}) {
    if (setting.value == to_string(when)) return when;
  }
  return Error{ErrorKind::invalid_argument, "embed must be background, now or later, not " + setting.value + " (" +
                                                std::string(to_string(setting.origin)) + ")"};
}

// The first layer that says something.
struct NamedLayer {
  const SettingsLayer* layer;
  SettingOrigin origin;
};
Setting first_said(std::span<const NamedLayer> layers, std::optional<std::string> SettingsLayer::*member,
                   std::string_view default_value) {
  for (const NamedLayer& candidate : layers) {
    const std::optional<std::string>& said = candidate.layer->*member;
    if (said && !said->empty()) return {.value = *said, .origin = candidate.origin};
  }
  return {.value = std::string(default_value), .origin = SettingOrigin::default_value};
}

bool is_name(std::string_view palace) {
  return palace.find('/') == std::string_view::npos && palace != "." && palace != ".." && palace != "~";
}

Result<fs::path> palace_folder(std::string_view palace, const SettingsSources& sources) {
  if (is_server_address(palace)) {
    while (palace.ends_with('/')) palace.remove_suffix(1);
    return fs::path(palace);
  }
  if (is_name(palace)) {
    if (sources.loci_home.empty()) {
      return Error{ErrorKind::invalid_argument,
                   "there is no home folder to look for palaces in; set LOCI_HOME, or give --palace a path"};
    }
    return sources.loci_home / "palaces" / palace;
  }
  fs::path path(palace);
  if (palace == "~" || palace.starts_with("~/")) {
    if (sources.user_home.empty()) {
      return Error{ErrorKind::invalid_argument,
                   "there is no home folder for the ~ in the palace " + std::string(palace)};
    }
    path = palace == "~" ? sources.user_home : sources.user_home / palace.substr(2);
  }
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error) return io_error("cannot find the folder of", path, error.value());
  absolute = absolute.lexically_normal();
  // "/a/b/" and "/a/b" are one palace.
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

struct PalacePlace {
  fs::path folder;
  SettingOrigin origin;
};
Result<PalacePlace> find_palace(const SettingsSources& sources, const SettingsLayer& user) {
  const NamedLayer layers[] = {{&sources.flags, SettingOrigin::flag},
                               {&sources.environment, SettingOrigin::environment},
                               {&user, SettingOrigin::user}};
  const Setting said = first_said(layers, &SettingsLayer::palace, kDefaultPalaceName);
  return PalacePlace{.folder = TRY(palace_folder(said.value, sources)), .origin = said.origin};
}

SettingOrigin backend_origin(BackendSource source, bool environment_says_it) {
  switch (source) {
    case BackendSource::flag: return SettingOrigin::flag;
    case BackendSource::palace_configuration: return SettingOrigin::palace;
    // The registry knows no user's configuration; it was handed over in the environment's place.
    case BackendSource::environment: return environment_says_it ? SettingOrigin::environment : SettingOrigin::user;
    case BackendSource::detection: return SettingOrigin::found_on_disk;
    case BackendSource::default_name: return SettingOrigin::default_value;
  }
  return SettingOrigin::default_value;
}

Result<Setting> choose_backend(const SettingsSources& sources, const SettingsLayer& palace, const SettingsLayer& user,
                               const fs::path& folder, BackendRegistry& registry) {
  const bool environment_says_it = sources.environment.backend && !sources.environment.backend->empty();
  if (is_server_address(folder.native()) && (!sources.flags.backend || sources.flags.backend->empty())) {
    return Setting{.value = std::string(kServerBackend), .origin = SettingOrigin::found_on_disk};
  }
  const BackendWishes wishes = {
      .flag = sources.flags.backend,
      .palace_configuration = palace.backend,
      .environment = environment_says_it ? sources.environment.backend : user.backend,
  };
  std::error_code error;
  const PalaceState state = fs::exists(folder, error) ? PalaceState::existing : PalaceState::fresh;
  const BackendChoice choice = TRY(select_backend(wishes, state, [&] { return registry.detect(folder); }));
  return Setting{.value = choice.name, .origin = backend_origin(choice.source, environment_says_it)};
}

// A palace that is a file, lies below one or cannot be reached is reported as such here; below, each backend would fail
// in its own way.
Status check_folder(const fs::path& folder) {
  if (is_server_address(folder.native())) return ok_status();
  for (fs::path part = folder; !part.empty(); part = part.parent_path()) {
    std::error_code error;
    const fs::file_status status = fs::status(part, error);
    if (status.type() == fs::file_type::directory) return ok_status();
    if (status.type() == fs::file_type::not_found && part != part.root_path()) continue;
    if (error) return io_error("cannot reach the palace", part, error.value());
    return Error{ErrorKind::invalid_argument, "the palace " + folder.string() + " cannot be there, since " +
                                                  part.string() + " is not a folder; give --palace another one"};
  }
  return ok_status();
}

}  // namespace

bool is_server_address(std::string_view palace) {
  return palace.starts_with("http://") || palace.starts_with("https://");
}

PalaceRef palace_ref(const fs::path& palace) {
  return is_server_address(palace.native()) ? PalaceRef{.id = palace.string()} : PalaceRef::at(palace);
}

std::string_view to_string(SettingOrigin origin) {
  switch (origin) {
    case SettingOrigin::flag: return "given as a flag";
    case SettingOrigin::palace: return "set in palace.json";
    case SettingOrigin::environment: return "set in the environment";
    case SettingOrigin::user: return "set in the user's configuration";
    case SettingOrigin::found_on_disk: return "found on disk";
    case SettingOrigin::default_value: return "the default";
  }
  return "the default";
}

std::string_view to_string(EmbedWhen when) {
  switch (when) {
    case EmbedWhen::background: return "background";
    case EmbedWhen::now: return "now";
    case EmbedWhen::later: return "later";
  }
  return "background";
}

std::optional<fs::path> user_configuration_path(const SettingsSources& sources) {
  if (sources.configuration_file) return sources.configuration_file;
  if (sources.loci_home.empty()) return std::nullopt;
  return sources.loci_home / kUserConfigurationName;
}

std::vector<ConfigurationSource> read_configuration(const SettingsSources& sources) {
  std::vector<ConfigurationSource> found;
  SettingsLayer user;
  if (std::optional<ConfigurationSource> source = read_user_source(sources)) {
    user = source->layer;
    found.push_back(std::move(*source));
  }
  const Result<PalacePlace> palace = find_palace(sources, user);
  if (palace.ok()) {
    found.push_back(
        read_source(palace->folder / kPalaceConfigurationName, palace_configuration_keys(), Presence::optional));
  }
  return found;
}

Result<fs::path> resolve_palace(const SettingsSources& sources) {
  const std::optional<ConfigurationSource> user = read_user_source(sources);
  return TRY(find_palace(sources, user ? user->layer : SettingsLayer{})).folder;
}

Result<Settings> resolve_settings(const SettingsSources& sources, BackendRegistry& registry) {
  const std::optional<ConfigurationSource> user_source = read_user_source(sources);
  if (user_source) TRY(user_source->status);
  const SettingsLayer user = user_source ? user_source->layer : SettingsLayer{};

  const PalacePlace place = TRY(find_palace(sources, user));
  TRY(check_folder(place.folder));
  const ConfigurationSource palace_source =
      read_source(place.folder / kPalaceConfigurationName, palace_configuration_keys(), Presence::optional);
  TRY(palace_source.status);

  const NamedLayer layers[] = {{&sources.flags, SettingOrigin::flag},
                               {&palace_source.layer, SettingOrigin::palace},
                               {&sources.environment, SettingOrigin::environment},
                               {&user, SettingOrigin::user}};
  Setting backend = TRY(choose_backend(sources, palace_source.layer, user, place.folder, registry));
  const EmbedWhen embed =
      TRY(parse_embed_when(first_said(layers, &SettingsLayer::embed, to_string(EmbedWhen::background))));
  Setting embedder = first_said(layers, &SettingsLayer::embedder, "");
  if (embedder.value.empty()) embedder.value = default_embedder({.built_in = sources.models_folder});
  Settings settings = {
      .palace = place.folder,
      .palace_origin = place.origin,
      .backend = std::move(backend),
      .collection = first_said(layers, &SettingsLayer::collection, kDefaultCollection),
      .embedder = std::move(embedder),
      .embedder_url = {},
      .embed = embed,
      .palace_namespace = {},
  };
  Setting embedder_url = first_said(layers, &SettingsLayer::embedder_url, "");
  if (!embedder_url.value.empty()) settings.embedder_url = std::move(embedder_url.value);
  Setting palace_namespace = first_said(layers, &SettingsLayer::palace_namespace, "");
  if (!palace_namespace.value.empty()) settings.palace_namespace = std::move(palace_namespace.value);
  return settings;
}

std::string why_no_embedder(const Settings& settings) {
  if (settings.embedder.origin != SettingOrigin::default_value) return "no embedder configured";
  return "the model " + std::string(kDefaultModel) + " is not there; tools/setup.sh fetches it";
}

}  // namespace loci
