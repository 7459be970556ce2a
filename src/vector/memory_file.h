// A file that is kept in memory: for segments that are not stored, and for tests.
#pragma once

#include <cstring>
#include <vector>

#include "base/file_layer.h"

namespace loci {

class MemoryFile : public NewFile {
 public:
  Status write_at(std::size_t offset, std::span<const std::uint8_t> bytes) override {
    if (bytes_.size() < offset + bytes.size()) bytes_.resize(offset + bytes.size());
    std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
    return {};
  }
  Status sync() override { return {}; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace loci
