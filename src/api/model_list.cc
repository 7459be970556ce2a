#include "api/model_list.h"

#include "api/configuration_file.h"
#include "api/json.h"
#include "base/file.h"

namespace loci {
namespace {

constexpr const char* kFolder = "folder";
constexpr const char* kFingerprint = "fingerprint";

// Null where there is none.
const Json& folder_of(const Json& entry) {
  static const Json kNull;
  if (!entry.is_object()) return entry;
  return entry.contains(kFolder) ? entry.at(kFolder) : kNull;
}

Result<Json> read_list(const std::filesystem::path& path) {
  const Result<std::string> content = read_file(path, kMaxConfigurationBytes);
  if (!content.ok() && content.error().kind == ErrorKind::not_found) return Json::object();
  if (!content.ok()) return content.error();
  Json list = TRY(parse_json(*content, path.string()));
  const Error no_list = {
      ErrorKind::invalid_argument,
      path.string() + " must be a JSON object of names and folders, such as {\"mine\": \"/models/mine\"}"};
  if (!list.is_object()) return no_list;
  for (const Json& entry : list) {
    const Json& folder = folder_of(entry);
    if (!folder.is_string() || folder.get_ref<const std::string&>().empty()) return no_list;
    if (entry.is_object() && entry.contains(kFingerprint) && !entry.at(kFingerprint).is_string()) return no_list;
  }
  return list;
}

}  // namespace

Result<ModelPlaces> read_model_places(const SettingsSources& sources) {
  ModelPlaces places = {.built_in = sources.models_folder};
  if (sources.loci_home.empty()) return places;
  const Json list = TRY(read_list(sources.loci_home / kModelListName));
  for (const auto& [name, entry] : list.items()) {
    RegisteredModel model = {.name = name, .folder = folder_of(entry).get<std::string>()};
    if (entry.is_object() && entry.contains(kFingerprint))
      model.fingerprint = entry.at(kFingerprint).get<std::string>();
    places.registered.push_back(std::move(model));
  }
  return places;
}

Status register_model(const SettingsSources& sources, const RegisteredModel& model) {
  if (sources.loci_home.empty())
    return Error{ErrorKind::invalid_argument, "there is no home folder for the list of models; set LOCI_HOME"};
  const std::filesystem::path path = sources.loci_home / kModelListName;
  Json list = TRY(read_list(path));
  list[model.name] = {{kFolder, model.folder.string()}};
  if (model.fingerprint) list[model.name][kFingerprint] = *model.fingerprint;
  TRY(make_private_folder(sources.loci_home));
  return write_file_atomically(path, to_text(list, JsonLayout::indented) + "\n");
}

}  // namespace loci
