#include "embed/pinned_files.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/sha256.h"

namespace loci {
namespace {

constexpr std::size_t kLargestPinsBytes = std::size_t{1} << 20;

Error damaged_file(const std::filesystem::path& file) {
  return {ErrorKind::corruption,
          file.string() + " is damaged: it has another SHA-256 than when it was fetched; fetch the model again"};
}

Status check_line(const std::string& line, std::span<const std::filesystem::path> files) {
  std::istringstream fields(line);
  std::vector<std::string> words;
  for (std::string word; fields >> word;) words.push_back(word);
  if (words.size() < 2) return ok_status();
  const std::filesystem::path name = std::filesystem::path(words[words.size() - 2]).filename();
  for (const std::filesystem::path& file : files) {
    if (file.filename() != name) continue;
    if (TRY(file_sha256(file)) == words.back()) continue;
    return damaged_file(file);
  }
  return ok_status();
}

Status check_known(const std::filesystem::path& file, std::span<const FilePin> known) {
  const std::string name = file.filename().string();
  const auto names_it = [&](const FilePin& pin) { return pin.file == name; };
  if (std::ranges::none_of(known, names_it)) return ok_status();
  const std::string sha256 = TRY(file_sha256(file));
  const auto fits = [&](const FilePin& pin) { return names_it(pin) && pin.sha256 == sha256; };
  return std::ranges::any_of(known, fits) ? ok_status() : Status(damaged_file(file));
}

}  // namespace

Result<std::string> file_sha256(const std::filesystem::path& path) {
  const MappedFile file = TRY(MappedFile::open(path));
  return to_hex(sha256({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}));
}

Status check_pinned_files(const std::filesystem::path& folder, std::span<const std::filesystem::path> files,
                          std::span<const FilePin> known) {
  for (const std::filesystem::path& file : files) TRY(check_known(file, known));
  const Result<std::string> pins = read_file(folder / ".pins", kLargestPinsBytes);
  if (!pins.ok()) return pins.error().kind == ErrorKind::not_found ? ok_status() : Status(pins.error());
  std::istringstream lines(*pins);
  for (std::string line; std::getline(lines, line);) TRY(check_line(line, files));
  return ok_status();
}

}  // namespace loci
