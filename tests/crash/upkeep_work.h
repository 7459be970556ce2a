// Upkeep as the tests of lost power and of failing calls try it: each kind on a small palace, with what must hold once
// it is done again.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "loci/result.h"

namespace loci::crash {

// `inputs` is made by make_upkeep_inputs() and never changed; `result` is a folder of the work's own.
struct UpkeepWork {
  const char* name;
  // Makes the folder as the work finds it.
  std::function<Status(const std::filesystem::path& inputs, const std::filesystem::path& result)> prepare;
  std::function<Status(const std::filesystem::path& inputs, const std::filesystem::path& result)> run;
  // What it makes in the folder, which is there whole or not at all; empty: it changes the palace in the folder.
  std::string makes;
  // What is wrong in a folder where the work is done.
  std::function<std::vector<std::string>(const std::filesystem::path& result)> violations;

  friend std::ostream& operator<<(std::ostream& out, const UpkeepWork& work) { return out << work.name; }
};

// Importing, mending duplicates, migrating a schema, migrating from another palace, backing up, restoring, and saving a
// damaged palace.
const std::vector<UpkeepWork>& upkeep_works();

Status make_upkeep_inputs(const std::filesystem::path& inputs);

}  // namespace loci::crash
