#include "embed/models.h"

#include <algorithm>
#include <array>
#include <span>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "embed/find_weights.h"
#include "embed/pinned_files.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxConfigurationBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDimension = 65536;
constexpr std::string_view kConfiguration = "config.json";
constexpr std::string_view kTokenizer = "tokenizer.json";

using Pins = std::array<FilePin, 3>;  // the files of a model, from one source
struct BuiltInModel {
  std::string_view name;
  std::string_view folder;  // also the identity
  std::size_t dimension;
  std::span<const Pins> sources;  // the preferred one first
  bool is_fetched_when_asked_for = false;
};
// The same pins as in tools/downloads.txt, which a test compares.
constexpr Pins kMiniLm[] = {
    Pins{{{kConfiguration, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
          {kTokenizer, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
          {"model.fp16.safetensors", "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"}}},
    Pins{{{kConfiguration, "9607ae6204a90040db3be3bea5d549a42f87b4a12c3638b41249b6c2a394a05a"},
          {kTokenizer, "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef"},
          {"model_quantized.onnx", "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1"}}},
};
constexpr Pins kGteSmall[] = {
    Pins{{{kConfiguration, "73f82cfb2bab7b9b7da090b2a71dac32f7ca79b12b2824d4caf9ecf0769b44ae"},
          {kTokenizer, "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"},
          {"model.onnx", "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"}}},
};
constexpr std::array kBuiltIn = {
    BuiltInModel{.name = kDefaultModel, .folder = "all-MiniLM-L6-v2", .dimension = 384, .sources = kMiniLm},
    BuiltInModel{.name = "gte-small",
                 .folder = "gte-small",
                 .dimension = 384,
                 .sources = kGteSmall,
                 .is_fetched_when_asked_for = true},
};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The files that a model is made of, as far as they are there; weights last.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const std::string_view name : {kConfiguration, kTokenizer}) {
    if (is_file(folder / name)) files.push_back(folder / name);
  }
  const Result<fs::path> weights = find_weights(folder);
  if (weights.ok()) files.push_back(*weights);
  return files;
}

Result<std::size_t> dimension_of(const fs::path& folder) {
  const fs::path file = folder / kConfiguration;
  const std::string content = TRY(read_file(file, kMaxConfigurationBytes));
  const auto json = nlohmann::json::parse(content, nullptr, false);
  const auto found = json.is_object() ? json.find("hidden_size") : json.end();
  if (!json.is_object() || found == json.end() || !found->is_number_unsigned() || found->get<std::size_t>() == 0 ||
      found->get<std::size_t>() > kMaxDimension) {
    return Error{ErrorKind::invalid_argument, file.string() + " does not say hidden_size, the length of the vectors"};
  }
  return found->get<std::size_t>();
}

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

ModelFolder built_in_model(const BuiltInModel& entry, const fs::path& folder) {
  ModelFolder model = {.name = std::string(entry.name),
                       .identity = std::string(entry.folder),
                       .folder = folder / entry.folder,
                       .dimension = entry.dimension,
                       .is_built_in = true};
  model.is_present = std::ranges::any_of(entry.sources, [&](const Pins& pins) {
    return std::ranges::all_of(pins, [&](const FilePin& pin) { return is_file(model.folder / pin.file); });
  });
  return model;
}

ModelFolder registered_model(const RegisteredModel& entry) {
  Result<ModelFolder> described = describe_folder(entry.name, entry.folder);
  ModelFolder model = described.ok() ? std::move(*described)
                                     : ModelFolder{.name = entry.name, .identity = entry.name, .folder = entry.folder};
  model.fingerprint = entry.fingerprint;
  return model;
}

ModelFolder with_windows(ModelFolder model) {
  model.name += kWindowsSuffix;
  model.identity += kWindowsSuffix;
  model.reads_windows = true;
  return model;
}

const BuiltInModel* find_built_in(const ModelFolder& model) {
  for (const BuiltInModel& entry : kBuiltIn) {
    if (model.is_built_in && model.folder.filename() == entry.folder) return &entry;
  }
  return nullptr;
}

std::optional<bool> is_pinned(const ModelFolder& model, std::string_view file, std::string_view sha256) {
  std::optional<bool> found;
  const BuiltInModel* entry = find_built_in(model);
  if (entry == nullptr) return found;
  for (const Pins& pins : entry->sources) {
    for (const FilePin& pin : pins) {
      if (pin.file == file) found = found.value_or(false) || pin.sha256 == sha256;
    }
  }
  return found;
}

}  // namespace

std::vector<ModelFolder> list_models(const ModelPlaces& places) {
  std::vector<ModelFolder> models;
  for (const BuiltInModel& entry : kBuiltIn) models.push_back(built_in_model(entry, places.built_in));
  for (const RegisteredModel& entry : places.registered) models.push_back(registered_model(entry));
  return models;
}

Result<ModelFolder> find_model(const ModelPlaces& places, std::string_view name) {
  std::string names;
  const bool reads_windows = name.ends_with(kWindowsSuffix);
  const std::string_view plain = name.substr(0, name.size() - (reads_windows ? kWindowsSuffix.size() : 0));
  for (ModelFolder& model : list_models(places)) {
    if (model.name == plain) return reads_windows ? with_windows(std::move(model)) : std::move(model);
    names += (names.empty() ? "" : ", ") + model.name;
  }
  return Error{ErrorKind::not_found, "there is no model " + std::string(name) + "; there are " + names};
}

Status check_name_is_free(const ModelPlaces& places, const ModelFolder& model) {
  for (const ModelFolder& known : list_models(places)) {
    if (known.name != model.name && known.identity != model.identity) continue;
    // A list that was written by hand has no fingerprint; there the folder tells.
    const bool is_same = !known.is_built_in &&
                         (known.fingerprint ? known.fingerprint == model.fingerprint : known.folder == model.folder);
    if (is_same) continue;
    return Error{ErrorKind::already_exists,
                 "Loci knows another model " + model.name + ", in " + known.folder.string() +
                     "; choose another name, since vectors of two models cannot be compared"};
  }
  return {};
}

std::string fetching_command(const ModelFolder& model) {
  const BuiltInModel* entry = find_built_in(model);
  return entry == nullptr ? "" : "tools/setup.sh model " + std::string(entry->folder);
}

std::vector<FilePin> pins_of(const ModelFolder& model) {
  std::vector<FilePin> all;
  const BuiltInModel* entry = find_built_in(model);
  if (entry == nullptr) return all;
  for (const Pins& pins : entry->sources) all.insert(all.end(), pins.begin(), pins.end());
  return all;
}

Error missing_model(const ModelFolder& model) {
  if (const BuiltInModel* entry = find_built_in(model)) {
    const std::string remedy = entry->is_fetched_when_asked_for ? "./loci model add " + std::string(entry->name)
                                                                : std::string("tools/setup.sh");
    return {ErrorKind::unavailable, "the files of the model " + model.name + " are not in " + model.folder.string() +
                                        "; " + remedy + " fetches them, --embedder none does without"};
  }
  const Result<ModelFolder> described = describe_folder(model.name, model.folder);
  return {ErrorKind::unavailable,
          described.ok() ? "the model " + model.name + " cannot be used" : described.error().message};
}

Result<ModelFolder> describe_folder(std::string_view name, const fs::path& folder) {
  if (!is_model_name(name)) {
    return Error{ErrorKind::invalid_argument,
                 "a model's name has 1 to 100 letters, digits, dots, dashes and underscores, unlike \"" +
                     std::string(name) + "\""};
  }
  for (const std::string_view needed : {kConfiguration, kTokenizer}) {
    if (!is_file(folder / needed))
      return Error{ErrorKind::not_found, "the model folder " + folder.string() + " has no " + std::string(needed)};
  }
  TRY(find_weights(folder));
  const auto dimension = TRY(dimension_of(folder));
  return ModelFolder{.name = std::string(name),
                     .identity = std::string(name),
                     .folder = folder,
                     .dimension = dimension,
                     .is_present = true};
}

Result<std::vector<ModelFile>> examine_files(const ModelFolder& model) {
  if (!model.is_present) return missing_model(model);
  std::vector<ModelFile> files;
  for (const fs::path& path : files_of(model.folder)) {
    ModelFile& file = files.emplace_back();
    file.name = path.lexically_relative(model.folder).string();
    file.sha256 = TRY(file_sha256(path));
    std::error_code ignored;
    file.size_bytes = static_cast<std::size_t>(fs::file_size(path, ignored));
    file.is_pinned = is_pinned(model, file.name, file.sha256);
  }
  return files;
}

}  // namespace loci
