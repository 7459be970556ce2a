// Doctor: what a palace and the program around it look like, as a list of checks. Nothing is created or changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"

namespace loci {

enum class CheckState {
  ok,
  warning,  // works, but deserves a look
  problem,  // something does not work, or soon will not
};
std::string_view to_string(CheckState state);

struct Check {
  std::string name;  // one word or two, stable: "sqlite", "disk space", "collection drawers"
  CheckState state = CheckState::ok;
  std::string detail = {};  // what was found
  std::string fix = {};     // what to do about it, where there is something to do
};

// A configuration file that the program looked for, and how reading it went.
struct ConfigurationFile {
  std::filesystem::path path;
  bool is_present = false;
  Status status = {};
};

struct DoctorRequest {
  PalaceRef palace;
  std::string program_version;
  std::string backend_reason;  // why this backend: "--backend", "the palace's configuration", "found on disk", …
  std::vector<ConfigurationFile> configuration = {};
  std::string current_model = {};  // the model that new text would be embedded with; empty: none
};

// Without a backend (none could be chosen) the checks that need one are left out.
std::vector<Check> diagnose(Backend* backend, const DoctorRequest& request);

// The worst state of them; ok when there is none.
CheckState worst(const std::vector<Check>& checks);

}  // namespace loci
