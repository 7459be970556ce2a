#include "document/zip_archive.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <minizip/unzip.h>

namespace loci {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kLongestName = 1'000;

// What minizip takes for an open file.
struct Cursor {
  std::string_view bytes;
  std::size_t position = 0;
};

void* open_bytes(void* opaque, const void*, int) { return opaque; }

uLong read_bytes(void*, void* stream, void* buffer, uLong size) {
  auto& cursor = *static_cast<Cursor*>(stream);
  const std::size_t count = std::min<std::size_t>(size, cursor.bytes.size() - cursor.position);
  if (count > 0) std::memcpy(buffer, cursor.bytes.data() + cursor.position, count);
  cursor.position += count;
  return static_cast<uLong>(count);
}

uLong write_nothing(void*, void*, const void*, uLong) { return 0; }

ZPOS64_T tell(void*, void* stream) { return static_cast<Cursor*>(stream)->position; }

long seek(void*, void* stream, ZPOS64_T offset, int origin) {
  auto& cursor = *static_cast<Cursor*>(stream);
  const std::size_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? cursor.position
                           : origin == ZLIB_FILEFUNC_SEEK_END ? cursor.bytes.size()
                                                              : 0;
  if (offset > cursor.bytes.size() - base) return -1;
  cursor.position = base + static_cast<std::size_t>(offset);
  return 0;
}

int close_nothing(void*, void*) { return 0; }
int no_error(void*, void*) { return 0; }

Error damaged(const std::string& what) { return {ErrorKind::corruption, what + " is damaged"}; }

}  // namespace

struct ZipArchive::State {
  Cursor cursor;
  std::size_t left = 0;  // of what may be unpacked
  unzFile file = nullptr;
  std::unordered_map<std::string, unz64_file_pos>
      members;  // by name; the library would look through its list each time

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (file != nullptr) unzClose(file);
  }

  Status list_members() {
    std::string name(kLongestName + 1, '\0');
    int result = unzGoToFirstFile(file);
    for (; result == UNZ_OK; result = unzGoToNextFile(file)) {
      unz_file_info64 info = {};
      unz64_file_pos position = {};
      if (unzGetCurrentFileInfo64(file, &info, name.data(), kLongestName, nullptr, 0, nullptr, 0) != UNZ_OK ||
          unzGetFilePos64(file, &position) != UNZ_OK)
        return damaged("its list of files");
      if (info.size_filename <= kLongestName) members.emplace(name.substr(0, info.size_filename), position);
    }
    if (result != UNZ_END_OF_LIST_OF_FILE) return damaged("its list of files");
    return {};
  }
};

ZipArchive::ZipArchive(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

Result<ZipArchive> ZipArchive::open(std::string_view bytes, std::size_t unpacked_bytes) {
  auto state = std::make_unique<State>();
  state->cursor.bytes = bytes;
  state->left = unpacked_bytes;
  zlib_filefunc64_def functions = {.zopen64_file = open_bytes,
                                   .zread_file = read_bytes,
                                   .zwrite_file = write_nothing,
                                   .ztell64_file = tell,
                                   .zseek64_file = seek,
                                   .zclose_file = close_nothing,
                                   .zerror_file = no_error,
                                   .opaque = &state->cursor};
  state->file = unzOpen2_64("memory", &functions);
  if (state->file == nullptr) return Error{ErrorKind::corruption, "it is not a zip archive, or damaged"};
  TRY(state->list_members());
  return ZipArchive(std::move(state));
}

bool ZipArchive::contains(const std::string& name) const { return state_->members.contains(name); }

Status ZipArchive::read(const std::string& name, FunctionRef<Status(std::string_view piece)> take) {
  const auto member = state_->members.find(name);
  if (member == state_->members.end()) return Error{ErrorKind::not_found, "it has no " + name};
  if (unzGoToFilePos64(state_->file, &member->second) != UNZ_OK || unzOpenCurrentFile(state_->file) != UNZ_OK)
    return damaged(name);
  unz_file_info64 info = {};
  unzGetCurrentFileInfo64(state_->file, &info, nullptr, 0, nullptr, 0, nullptr, 0);
  std::uint64_t missing = info.uncompressed_size;
  std::string buffer(kPieceBytes, '\0');
  Status status;
  for (int count = 1; count > 0 && status.ok();) {
    count = unzReadCurrentFile(state_->file, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count < 0) {
      status = damaged(name);
    } else if (static_cast<std::size_t>(count) > state_->left) {
      status = Error{ErrorKind::invalid_argument, "it unpacks to more than is read of a document"};
    } else if (count > 0) {
      state_->left -= static_cast<std::size_t>(count);
      missing -= static_cast<std::uint64_t>(count);
      status = take(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    }
  }
  // Compares the checksum, but only when nothing is missing.
  const bool is_intact = unzCloseCurrentFile(state_->file) == UNZ_OK && missing == 0;
  if (status.ok() && !is_intact) return damaged(name);
  return status;
}

}  // namespace loci
