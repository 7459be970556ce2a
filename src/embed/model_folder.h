// A model's folder on disk, and the packed model beside it that is made once and then mapped by every process.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/guarded_file.h"
#include "embed/packed_model.h"
#include "embed/pinned_files.h"
#include "loci/result.h"

namespace loci {

// A packed model and the memory it lies in.
class LoadedModel {
 public:
  // Maps the folder's packed model, or makes it when it is missing, damaged or older than the folder's files. In a
  // folder that cannot be written to, and for Precision::float32, it is kept in memory. Two processes may do this at
  // once. The files that `pins` name are compared with them before they are packed. Errors: not_found, corruption and
  // unsupported, naming the file.
  static Result<LoadedModel> load(const std::filesystem::path& folder, const ModelConfig& config, Precision precision,
                                  std::span<const FilePin> pins);

  const PackedModel& model() const { return model_; }
  bool is_mapped() const { return std::holds_alternative<Mapped>(memory_); }

  // Was everything that was read from it until now really there? Another process may cut the mapped file off. Asked
  // after reading.
  bool is_whole() const { return !is_mapped() || std::get<Mapped>(memory_)->is_whole(); }

 private:
  using Mapped = std::unique_ptr<GuardedFile>;
  using Memory = std::variant<Mapped, std::unique_ptr<const std::string>>;

  LoadedModel(Memory memory, PackedModel model) : memory_(std::move(memory)), model_(std::move(model)) {}

  Memory memory_;
  PackedModel model_;  // views into memory_
};

// Where the packed model of a folder lies.
std::filesystem::path packed_model_path(const std::filesystem::path& folder);

}  // namespace loci
