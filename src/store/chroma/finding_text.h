// The words of findings: how many of what, and the command that mends it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace loci::chroma {

std::string counted(std::size_t number, std::string_view one, std::string_view many);
std::string vectors_text(std::size_t number);
std::string records_text(std::size_t number);

// The commands that mend a folder.
class Remedies {
 public:
  explicit Remedies(const std::filesystem::path& folder);

  std::string copy() const;
  std::string seq_ids() const;
  std::string migrate() const;
  std::string migrate_with_copies() const;
  std::string embed() const;
  // For records without a vector, some of which quarantined copies may have.
  std::string for_missing(std::size_t in_copies) const;

 private:
  const std::string folder_;  // as a word of a command line
};

}  // namespace loci::chroma
