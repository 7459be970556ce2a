#include "store/chroma/migrations.h"

#include "base/file.h"
#include "base/sha256.h"

namespace loci::chroma {
namespace {

constexpr std::string_view kSha256 = "b669e22f73985b41722419b1390f0384a793fb698a9b641e69fdfef61e8f299e";

}  // namespace

Result<MigrationTexts> read_migration_texts(const std::filesystem::path& file) {
  const Result<std::string> all = read_file(file);
  if (!all.ok() || to_hex(sha256(*all)) != kSha256) {
    return Error{ErrorKind::unavailable,
                 "a Chroma folder cannot be made: Chroma opens one only with the texts of its own migrations, and " +
                     (file.empty() ? "no file of them is known" : file.string() + " does not hold them") +
                     "; tools/setup.sh chroma-migrations fetches them into the checkout"};
  }
  MigrationTexts texts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = all->substr(begin, kMigrations[i].size);
    begin += kMigrations[i].size;
  }
  return texts;
}

}  // namespace loci::chroma
