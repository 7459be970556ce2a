#include "api/output_place.h"

#include <system_error>

#include "base/file.h"

namespace loci {

Status check_output_place(const std::filesystem::path& output, const ChosenPalace& palace, BackendRegistry& registry) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(output, error).parent_path();
  const bool is_in_this_palace = palace.ref.local_path && is_inside(output, *palace.ref.local_path);
  if (!is_in_this_palace && registry.detect(folder).empty()) return ok_status();
  return Error{ErrorKind::invalid_argument,
               output.string() + " is in the folder of a palace; choose a place elsewhere"};
}

}  // namespace loci
