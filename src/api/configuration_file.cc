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

constexpr std::string_view kUserKeys[] = {"palace", "backend", "collection", "namespace", "embedder"};

struct Member {
  std::string_view key;
  std::optional<std::string> SettingsLayer::*value;
};
constexpr Member kMembers[] = {
    {"palace", &SettingsLayer::palace},         {"backend", &SettingsLayer::backend},
    {"collection", &SettingsLayer::collection}, {"namespace", &SettingsLayer::palace_namespace},
    {"embedder", &SettingsLayer::embedder},
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

// All but the first: a palace does not say where it is.
std::span<const std::string_view> palace_configuration_keys() { return std::span(kUserKeys).subspan(1); }

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

Status write_palace_configuration(const std::filesystem::path& palace, const SettingsLayer& changes) {
  const std::filesystem::path path = palace / kPalaceConfigurationName;
  Json json = Json::object();
  const Result<std::string> old = read_file(path, kMaxConfigurationBytes);
  if (old.ok()) {
    TRY(parse_configuration(*old, path, palace_configuration_keys()));
    json = TRY(parse_object(*old, path));
  } else if (old.error().kind != ErrorKind::not_found) {
    return old.error();
  }
  for (const Member& member : kMembers) {
    const std::optional<std::string>& value = changes.*(member.value);
    if (value && member.key != "palace") json[std::string(member.key)] = *value;
  }
  return write_file_atomically(path, to_text(json, JsonLayout::indented) + "\n");
}

}  // namespace loci
