// Archives of Chroma folders below LOCI_TEST_DATA, unpacked for a test.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/temporary_folder.h"

namespace loci::chroma_tests {

// The archives of a folder of the test data, ordered; empty where there is none.
inline std::vector<std::filesystem::path> archives_in(const std::string& name) {
  const char* data = std::getenv("LOCI_TEST_DATA");
  std::vector<std::filesystem::path> archives;
  if (data == nullptr) return archives;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(std::filesystem::path(data) / name, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".gz") archives.push_back(entry->path());
  }
  std::sort(archives.begin(), archives.end());
  return archives;
}

inline std::string name_of(const std::filesystem::path& archive) { return archive.stem().stem().string(); }

// The same for gtest, whose names have letters, digits and underscores only.
inline std::string test_name_of(const std::filesystem::path& archive) {
  std::string name = name_of(archive);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// Throws when it cannot be unpacked.
inline void unpack(const std::filesystem::path& archive, const std::filesystem::path& into) {
  const std::string command = "tar -xzf '" + archive.string() + "' -C '" + into.string() + "'";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot unpack " + archive.string());
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every file below a folder with its content.
inline std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    files[entry.path().string()] = entry.is_regular_file() ? content_of(entry.path()) : "";
  }
  return files;
}

}  // namespace loci::chroma_tests
