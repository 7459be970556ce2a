#include "embed/model_folder.h"

#include <algorithm>
#include <array>
#include <vector>

#include <xxhash.h>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/sha256.h"
#include "embed/find_weights.h"
#include "embed/onnx_weights.h"
#include "embed/pinned_files.h"
#include "embed/safetensors.h"
#include "embed/tensor_source.h"
#include "embed/tokenizer_file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

Result<std::unique_ptr<TensorSource>> open_weights(const fs::path& path) {
  if (path.extension() == ".onnx") return std::unique_ptr<TensorSource>(TRY(OnnxWeights::open(path)));
  return std::unique_ptr<TensorSource>(TRY(Safetensors::open(path)));
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// A hash of pieces from all over the file: another model differs everywhere, and to read all of it at every start would
// cost more than the start.
std::uint64_t sample_hash(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kPieces = 64;
  constexpr std::size_t kPieceBytes = 1024;
  if (bytes.size() <= kPieces * kPieceBytes) return XXH3_64bits(bytes.data(), bytes.size());
  std::array<std::uint64_t, kPieces> hashes = {};
  const std::size_t step = (bytes.size() - kPieceBytes) / (kPieces - 1);
  for (std::size_t i = 0; i < kPieces; ++i) hashes[i] = XXH3_64bits(bytes.data() + i * step, kPieceBytes);
  return XXH3_64bits(hashes.data(), sizeof hashes);
}

// Which files a packed model was made from. The time of change alone says little: packages unpack with a fixed one.
Result<Sha256> identity_of(std::span<const fs::path> paths) {
  std::string text;
  for (const fs::path& path : paths) {
    const MappedFile file = TRY(MappedFile::open(path));
    std::error_code error;
    const auto changed = fs::last_write_time(path, error).time_since_epoch().count();
    text += path.filename().string() + ' ' + std::to_string(file.bytes().size()) + ' ' + std::to_string(changed) + ' ' +
            std::to_string(sample_hash(file.bytes())) + '\n';
  }
  return sha256(text);
}

// The hash of every byte.
Result<Sha256> content_of(std::span<const fs::path> paths) {
  std::string text;
  for (const fs::path& path : paths) text += path.filename().string() + ' ' + TRY(file_sha256(path)) + '\n';
  return sha256(text);
}

}  // namespace

fs::path packed_model_path(const fs::path& folder) { return folder / "packed.int8"; }

Result<LoadedModel> LoadedModel::load(const fs::path& folder, const ModelConfig& config, Precision precision,
                                      std::span<const FilePin> pins) {
  const fs::path tokenizer_path = folder / "tokenizer.json";
  const fs::path weights_path = TRY(find_weights(folder));
  const std::array<fs::path, 3> files = {folder / "config.json", tokenizer_path, weights_path};
  const Sha256 identity = TRY(identity_of(files));
  const fs::path packed_path = packed_model_path(folder);

  if (precision == Precision::int8) {
    if (Result<std::unique_ptr<GuardedFile>> mapped = GuardedFile::open(packed_path); mapped.ok()) {
      Result<PackedModel> model = view_packed_model((*mapped)->bytes(), config, precision, identity);
      if (model.ok()) return LoadedModel(std::move(*mapped), std::move(*model));
    }
  }

  TRY(check_pinned_files(folder, files, pins));
  const std::unique_ptr<TensorSource> source = TRY(open_weights(files[2]));
  const TokenizerFile tokenizer = TRY(read_tokenizer_file(tokenizer_path));
  const PackedFrom from = {.identity = identity, .content = TRY(content_of(files))};
  auto block = std::make_unique<const std::string>(TRY(pack_model(*source, config, tokenizer, precision, from)));
  if (precision == Precision::int8) {
    // A cache: where it cannot be kept, the copy in memory does the same. The mapped one is shared by all processes.
    constexpr mode_t kReadableByAll = 0644;
    if (write_file_atomically(packed_path, *block, kReadableByAll).ok()) {
      std::unique_ptr<GuardedFile> mapped = TRY(GuardedFile::open(packed_path));
      Result<PackedModel> model = view_packed_model(mapped->bytes(), config, precision, identity);
      if (model.ok()) return LoadedModel(std::move(mapped), std::move(*model));
    }
  }
  PackedModel model = TRY(view_packed_model(bytes_of(*block), config, precision, identity));
  return LoadedModel(std::move(block), std::move(model));
}

}  // namespace loci
