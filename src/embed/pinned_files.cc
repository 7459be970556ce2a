#include "embed/pinned_files.h"

#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/sha256.h"

namespace loci {
namespace {

constexpr std::size_t kLargestPinsBytes = std::size_t{1} << 20;

Status check_line(const std::string& line, std::span<const std::filesystem::path> files) {
  std::istringstream fields(line);
  std::vector<std::string> words;
  for (std::string word; fields >> word;) words.push_back(word);
  if (words.size() < 2) return ok_status();
  const std::filesystem::path name = std::filesystem::path(words[words.size() - 2]).filename();
  for (const std::filesystem::path& file : files) {
    if (file.filename() != name) continue;
    if (TRY(file_sha256(file)) == words.back()) continue;
    return Error{ErrorKind::corruption,
                 file.string() + " is damaged: it has another SHA-256 than when it was fetched; fetch the model again"};
  }
  return ok_status();
}

}  // namespace

Result<std::string> file_sha256(const std::filesystem::path& path) {
  const MappedFile file = TRY(MappedFile::open(path));
  return to_hex(sha256({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}));
}

Status check_pinned_files(const std::filesystem::path& folder, std::span<const std::filesystem::path> files) {
  const Result<std::string> pins = read_file(folder / ".pins", kLargestPinsBytes);
  if (!pins.ok()) return pins.error().kind == ErrorKind::not_found ? ok_status() : Status(pins.error());
  std::istringstream lines(*pins);
  for (std::string line; std::getline(lines, line);) TRY(check_line(line, files));
  return ok_status();
}

}  // namespace loci
