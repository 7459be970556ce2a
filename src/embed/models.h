// Model folders: where the files of the models that run on this machine are, and whether they are the right ones.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/pinned_files.h"
#include "loci/result.h"

namespace loci {

// The model that is used unless another is chosen.
inline constexpr std::string_view kDefaultModel = "minilm";

// After the name of a model, and after its identity: long texts are read in pieces whose vectors are averaged, instead
// of being cut off. These are other vectors.
inline constexpr std::string_view kWindowsSuffix = "+windows";

// A model that somebody registered, as the user's list of models says.
struct RegisteredModel {
  std::string name;
  std::filesystem::path folder;
  std::optional<std::string> fingerprint = {};  // of the files that it was added with; absent: not compared

  friend bool operator==(const RegisteredModel&, const RegisteredModel&) = default;
};

// Where models are looked for. Values, so that tests have their own.
struct ModelPlaces {
  std::filesystem::path built_in;  // holds the folders of the models that come with the program
  std::vector<RegisteredModel> registered = {};
};

struct ModelFolder {
  std::string name;      // "minilm": what --embedder takes
  std::string identity;  // "all-MiniLM-L6-v2": what is stored with the vectors
  std::filesystem::path folder;
  std::optional<std::size_t> dimension = {};  // absent: its configuration cannot be read
  bool is_built_in = false;
  bool is_present = false;                      // its files are there, as far as their names go
  bool reads_windows = false;                   // it was asked for with kWindowsSuffix
  std::optional<std::string> fingerprint = {};  // what SentenceEmbedder::fingerprint() must be, where that is known

  friend bool operator==(const ModelFolder&, const ModelFolder&) = default;
};

// Two models are never compared with each other's vectors, so no two may have one name or one identity. Errors:
// already_exists, when another model than this one, which has a fingerprint, goes by that name.
Status check_name_is_free(const ModelPlaces& places, const ModelFolder& model);

// What fetches the files of a model that comes with the program anew; empty for another.
std::string fetching_command(const ModelFolder& model);

// The checksums that the files of a model which comes with the program may have; none for another.
std::vector<FilePin> pins_of(const ModelFolder& model);

// The models that come with the program, there or not, then those that were registered. Looks at names and at
// config.json, never at weights.
std::vector<ModelFolder> list_models(const ModelPlaces& places);

// One of them, also with kWindowsSuffix. Errors: not_found, with the names there are.
Result<ModelFolder> find_model(const ModelPlaces& places, std::string_view name);

// Why the model cannot be used, with what mends it: for one whose files are not there.
Error missing_model(const ModelFolder& model);

// A folder that holds what a model needs: config.json, tokenizer.json and weights (find_weights.h). Errors: not_found,
// naming what is missing; invalid_argument (the name, or a config.json that makes no sense).
Result<ModelFolder> describe_folder(std::string_view name, const std::filesystem::path& folder);

// One file of a model and its SHA-256; whether it is the pinned one, where one is pinned.
struct ModelFile {
  std::string name;
  std::size_t size_bytes = 0;
  std::string sha256;
  std::optional<bool> is_pinned = {};
};
// Reads every byte. Errors: not_found, io.
Result<std::vector<ModelFile>> examine_files(const ModelFolder& model);

}  // namespace loci
