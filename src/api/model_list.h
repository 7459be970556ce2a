// The models that the user registered: <loci_home>/models.json, an object of names, each with its folder and the
// fingerprint of the files that were there. A list that was written by hand may have the folder alone.
#pragma once

#include "api/settings.h"
#include "embed/models.h"
#include "loci/result.h"

namespace loci {

inline constexpr std::string_view kModelListName = "models.json";

// Where models are. A missing list is an empty one. Errors: invalid_argument (a list that cannot be used, with its
// line), io.
Result<ModelPlaces> read_model_places(const SettingsSources& sources);

// Puts the model into the list, in place of one of that name; the others stay. A list that cannot be used is an error,
// and is left alone.
Status register_model(const SettingsSources& sources, const RegisteredModel& model);

}  // namespace loci
