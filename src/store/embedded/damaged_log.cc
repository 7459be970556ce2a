#include "store/embedded/damaged_log.h"

#include <array>
#include <chrono>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

// https://sqlite.org/fileformat2.html#the_write_ahead_log
constexpr std::size_t kLogHeadBytes = 32;
constexpr std::size_t kFrameHeadBytes = 24;
constexpr std::uint32_t kLogMagic = 0x377f0682;  // the last bit: checksums are of big-endian numbers
constexpr std::uint32_t kSmallestPage = 512;
constexpr std::uint32_t kLargestPage = 65536;
constexpr auto kPauseBetweenLooks = std::chrono::milliseconds(20);

using Bytes = std::span<const std::uint8_t>;

std::uint32_t big_endian(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         std::uint32_t{bytes[at + 3]};
}

std::uint32_t little_endian(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 3]} << 24;
}

// The sum that runs through the whole log.
struct LogSum {
  bool is_big_endian = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(Bytes bytes) {
    const auto read = is_big_endian ? big_endian : little_endian;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += read(bytes, at) + second;
      second += read(bytes, at + 4) + first;
    }
  }
  bool is_written_in(Bytes bytes, std::size_t at) const {
    return big_endian(bytes, at) == first && big_endian(bytes, at + 4) == second;
  }
};

using Salts = std::array<std::uint32_t, 2>;
Salts salts_in(Bytes bytes, std::size_t at) { return {big_endian(bytes, at), big_endian(bytes, at + 4)}; }

// Follows the frames: how far they are good, and whether what comes then is more than one torn transaction.
class LogWalk {
 public:
  LogWalk(Bytes head, Bytes first_frame) {
    committed_.page_bytes = first_frame.size() - kFrameHeadBytes;
    sum_.is_big_endian = (big_endian(head, 0) & 1) != 0;
    sum_.add(head.first(24));
    is_head_good_ = (big_endian(head, 0) & ~1U) == kLogMagic && sum_.is_written_in(head, 24);
    salts_ = is_head_good_ ? salts_in(head, 16) : salts_in(first_frame, 8);
    if (!is_head_good_) damage_ = LogDamage{};
  }

  void add(Bytes frame) {
    ++frames_;
    const bool is_ours = salts_in(frame, 8) == salts_;
    const bool is_commit = is_ours && big_endian(frame, 4) != 0;
    if (!damage_) {
      sum_.add(frame.first(8));
      sum_.add(frame.subspan(kFrameHeadBytes));
      if (!is_ours || !sum_.is_written_in(frame, 16)) damage_ = LogDamage{.frame = frames_};
    }
    if (!damage_) return keep(frame);
    // The head is synced before any frame; a transaction before the next one.
    is_sure_ = is_sure_ || (is_ours && (damage_->commits > 0 || (is_commit && !is_head_good_)));
    if (is_commit) ++damage_->commits;
  }

  std::optional<LogDamage> damage() const { return is_sure_ ? damage_ : std::nullopt; }
  LogPages take_pages() { return std::move(committed_); }

 private:
  void keep(Bytes frame) {
    in_transaction_.push_back(big_endian(frame, 0));
    const std::uint32_t total = big_endian(frame, 4);
    if (total == 0) return;  // the transaction goes on
    committed_.total = total;
    committed_.pages.insert(in_transaction_.begin(), in_transaction_.end());
    in_transaction_.clear();
  }

  LogSum sum_;
  bool is_head_good_ = false;
  Salts salts_{};
  std::int64_t frames_ = 0;
  std::optional<LogDamage> damage_;
  bool is_sure_ = false;
  std::vector<std::uint32_t> in_transaction_;  // pages of the one that is being read
  LogPages committed_;
};

// Nothing when there is no frame to look at.
Result<std::optional<LogWalk>> walk_log(const std::filesystem::path& log) {
  const sqlite::VfsFile file = TRY(sqlite::VfsFile::open(log));
  const std::int64_t size = TRY(file.size_bytes());
  std::array<std::uint8_t, kLogHeadBytes> head{};
  TRY(file.read(0, head));
  const std::uint32_t page = big_endian(head, 8);
  const bool is_a_size = page >= kSmallestPage && page <= kLargestPage && (page & (page - 1)) == 0;
  const std::int64_t frame_bytes = std::int64_t{page} + static_cast<std::int64_t>(kFrameHeadBytes);
  if (!is_a_size || size < static_cast<std::int64_t>(kLogHeadBytes) + frame_bytes) return std::optional<LogWalk>();
  std::vector<std::uint8_t> frame(static_cast<std::size_t>(frame_bytes));
  TRY(file.read(kLogHeadBytes, frame));
  LogWalk walk(head, frame);
  for (std::int64_t at = kLogHeadBytes; at + frame_bytes <= size; at += frame_bytes) {
    TRY(file.read(at, frame));
    walk.add(frame);
  }
  return std::optional(std::move(walk));
}

Result<std::optional<LogDamage>> damage_in(const std::filesystem::path& log) {
  const std::optional<LogWalk> walk = TRY(walk_log(log));
  return walk ? walk->damage() : std::nullopt;
}

}  // namespace

Result<std::optional<LogDamage>> find_log_damage(const std::filesystem::path& log) {
  struct stat before {};
  if (::stat(log.c_str(), &before) != 0) return std::optional<LogDamage>();
  const std::optional<LogDamage> found = TRY(damage_in(log));
  if (!found) return found;
  // One that is being written may look damaged. At rest it looks the same a little later.
  std::this_thread::sleep_for(kPauseBetweenLooks);
  const std::optional<LogDamage> again = TRY(damage_in(log));
  struct stat after {};
  const bool is_at_rest = ::stat(log.c_str(), &after) == 0 && after.st_size == before.st_size &&
                          after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
                          after.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
  return is_at_rest && again ? again : std::optional<LogDamage>();
}

Result<LogPages> read_log_pages(const std::filesystem::path& log) {
  struct stat status {};
  if (::stat(log.c_str(), &status) != 0) return LogPages();
  std::optional<LogWalk> walk = TRY(walk_log(log));
  return walk ? walk->take_pages() : LogPages();
}

}  // namespace loci::embedded
