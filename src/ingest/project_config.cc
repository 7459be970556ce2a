#include "ingest/project_config.h"

#include <array>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "ingest/yaml_node.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kConfigFiles = {"loci.yaml", "mempalace.yaml"};  // the first that is there
constexpr std::size_t kConfigLimitBytes = std::size_t{1} << 20;

Error wrong_type(const YamlNode& node, std::string_view key, std::string_view expected) {
  return {ErrorKind::invalid_argument,
          "line " + std::to_string(node.line) + ": " + std::string(key) + " must be " + std::string(expected)};
}

bool is_nothing(const YamlNode& node) {
  return node.kind == YamlNode::Kind::text && (node.text.empty() || node.text == "null" || node.text == "~");
}

Result<std::vector<std::string>> texts_at(const YamlNode& map, std::string_view key) {
  std::vector<std::string> texts;
  const YamlNode* list = map.find(key);
  if (list == nullptr || is_nothing(*list)) return texts;
  if (list->kind != YamlNode::Kind::list) return wrong_type(*list, key, "a list of texts");
  for (const YamlNode& item : list->items) {
    if (item.kind != YamlNode::Kind::text) return wrong_type(item, key, "a list of texts");
    texts.push_back(item.text);
  }
  return texts;
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return text;
}

Result<RoomRule> room_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::text) return RoomRule{.name = node.text};
  const YamlNode* name = node.find("name");
  if (name == nullptr || name->kind != YamlNode::Kind::text || is_nothing(*name))
    return wrong_type(node, "a room", "a name, or a map with a name");
  RoomRule room{.name = name->text};
  for (std::string& keyword : TRY(texts_at(node, "keywords")))
    room.keywords.push_back(in_lower_case(std::move(keyword)));
  return room;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

Result<ProjectConfig> parse_project_config(std::string_view yaml) {
  if (!is_valid_utf8(yaml)) return Error{ErrorKind::invalid_argument, "it is not UTF-8"};
  const YamlNode root = TRY(parse_yaml(yaml));
  ProjectConfig config;
  config.text = yaml;
  if (is_nothing(root)) return config;
  if (root.kind != YamlNode::Kind::map) return wrong_type(root, "the whole", "a map with wing and rooms");
  if (const YamlNode* wing = root.find("wing"); wing != nullptr && !is_nothing(*wing)) {
    if (wing->kind != YamlNode::Kind::text) return wrong_type(*wing, "wing", "a text");
    config.wing = wing->text;
  }
  if (const YamlNode* rooms = root.find("rooms"); rooms != nullptr && !is_nothing(*rooms)) {
    if (rooms->kind != YamlNode::Kind::list) return wrong_type(*rooms, "rooms", "a list");
    for (const YamlNode& room : rooms->items) config.rooms.push_back(TRY(room_of(room)));
  }
  for (const std::string& line : TRY(texts_at(root, "exclude_patterns"))) {
    if (std::optional<IgnorePattern> pattern = IgnorePattern::parse(line))
      config.exclude.push_back(std::move(*pattern));
  }
  return config;
}

bool has_project_config(const fs::path& folder) {
  return is_there(folder / kConfigFiles[0]) || is_there(folder / kConfigFiles[1]);
}

bool has_version_control(const fs::path& folder) { return is_there(folder / ".git"); }

Result<ProjectConfig> load_project_config(const fs::path& project_root) {
  for (const std::string_view name : kConfigFiles) {
    const fs::path file = project_root / name;
    const Result<std::string> text = read_file(file, kConfigLimitBytes);
    if (!text.ok() && text.error().kind == ErrorKind::not_found) continue;
    if (!text.ok()) return text.error();
    Result<ProjectConfig> config = parse_project_config(*text);
    if (!config.ok()) return Error{config.error().kind, file.string() + ", " + config.error().message};
    return config;
  }
  return ProjectConfig{};
}

}  // namespace loci
