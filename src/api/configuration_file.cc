#include "api/configuration_file.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "api/json.h"
#include "api/suggestion.h"
#include "base/file.h"
#include "store/contract.h"

namespace loci {
namespace {

// The first are the user's alone: a palace does not say where it is, and one that came from somewhere else must not say
// to which server texts and keys go.
constexpr std::string_view kUserKeys[] = {"palace",    "embedder_url", "backend", "collection",
                                          "namespace", "embedder",     "embed"};
constexpr std::size_t kUserOnlyKeys = 2;

struct Member {
  std::string_view key;
  std::optional<std::string> SettingsLayer::*value;
};
constexpr Member kMembers[] = {
    {"palace", &SettingsLayer::palace},         {"backend", &SettingsLayer::backend},
    {"collection", &SettingsLayer::collection}, {"namespace", &SettingsLayer::palace_namespace},
    {"embedder", &SettingsLayer::embedder},     {"embedder_url", &SettingsLayer::embedder_url},
    {"embed", &SettingsLayer::embed},
};

Result<Json> parse_object(std::string_view content, const std::filesystem::path& path) {
  Json json = TRY(parse_json(content, path.string()));
  if (!json.is_object()) {
    return Error{ErrorKind::invalid_argument,
                 path.string() + " must be a JSON object, such as {\"collection\": \"drawers\"}"};
  }
  return json;
}

}  // namespace

std::span<const std::string_view> user_configuration_keys() { return kUserKeys; }

std::span<const std::string_view> palace_configuration_keys() { return std::span(kUserKeys).subspan(kUserOnlyKeys); }

Result<SettingsLayer> parse_configuration(std::string_view content, const std::filesystem::path& path,
                                          std::span<const std::string_view> keys) {
  const Json json = TRY(parse_object(content, path));
  SettingsLayer layer;
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return Error{ErrorKind::invalid_argument,
                   path.string() + ": there is no setting " + in_quotes(key) + did_you_mean(key, keys)};
    }
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
      return Error{ErrorKind::invalid_argument, path.string() + ": " + key + " must be a text that is not empty, not " +
                                                    to_text(value, JsonLayout::one_line)};
    }
    const auto* member = std::find_if(std::begin(kMembers), std::end(kMembers),
                                      [&key = key](const Member& candidate) { return candidate.key == key; });
    layer.*(member->value) = value.get<std::string>();
  }
  return layer;
}

namespace {

Status write_configuration(const std::filesystem::path& path, const SettingsLayer& changes,
                           std::span<const std::string_view> keys) {
  Json json = Json::object();
  const Result<std::string> old = read_file(path, kMaxConfigurationBytes);
  if (old.ok()) {
    TRY(parse_configuration(*old, path, keys));
    json = TRY(parse_object(*old, path));
  } else if (old.error().kind != ErrorKind::not_found) {
    return old.error();
  }
  for (const Member& member : kMembers) {
    const std::optional<std::string>& value = changes.*(member.value);
    const bool is_allowed = std::find(keys.begin(), keys.end(), member.key) != keys.end();
    if (value && is_allowed) json[std::string(member.key)] = *value;
  }
  return write_file_atomically(path, to_text(json, JsonLayout::indented) + "\n");
}

}  // namespace

Status write_palace_configuration(const std::filesystem::path& palace, const SettingsLayer& changes) {
  return write_configuration(palace / kPalaceConfigurationName, changes, palace_configuration_keys());
}

Status write_user_configuration(const std::filesystem::path& path, const SettingsLayer& changes) {
  if (path.has_parent_path()) TRY(make_private_folder(path.parent_path()));
  return write_configuration(path, changes, user_configuration_keys());
}

}  // namespace loci
