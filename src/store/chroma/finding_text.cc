#include "store/chroma/finding_text.h"

#include <algorithm>

namespace loci::chroma {
namespace {

std::string in_shell(const std::filesystem::path& folder) {
  const std::string text = folder.string();
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,:@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string counted(std::size_t number, std::string_view one, std::string_view many) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}
std::string vectors_text(std::size_t number) { return counted(number, "vector", "vectors"); }
std::string records_text(std::size_t number) { return counted(number, "record", "records"); }

Remedies::Remedies(const std::filesystem::path& folder) : folder_(in_shell(folder)) {}
std::string Remedies::copy() const { return "loci repair --backend chroma --palace " + folder_ + " --output NEW"; }
std::string Remedies::seq_ids() const {
  return "loci repair --backend chroma --palace " + folder_ + " --only seq-ids --apply";
}
std::string Remedies::migrate() const { return "loci migrate --from chroma --source " + folder_ + " --palace NEW"; }
std::string Remedies::migrate_with_copies() const { return migrate() + " --include-quarantined"; }
std::string Remedies::embed() const { return migrate() + ", then loci embed --missing --palace NEW"; }
std::string Remedies::for_missing(std::size_t in_copies) const {
  return in_copies > 0 ? migrate_with_copies() : embed();
}

}  // namespace loci::chroma
