#include "api/search_stage_field.h"

#include <optional>
#include <string>

namespace loci {

Result<std::vector<SearchStage>> stages_left_out(const Request& request) {
  std::vector<SearchStage> stages;
  for (const std::string& name : request.texts(kWithoutField.name)) {
    const std::optional<SearchStage> stage = parse_search_stage(name);
    if (!stage) return Error{ErrorKind::invalid_argument, "there is no stage of the search called " + name};
    stages.push_back(*stage);
  }
  return stages;
}

}  // namespace loci
