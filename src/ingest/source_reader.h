// The reading half of mining: a thread of its own that turns files into sources and hands them over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "ingest/bounded_queue.h"
#include "ingest/importer.h"
#include "ingest/mine_plan.h"
#include "loci/result.h"

namespace loci {

// What became of one file. One that is passed over for a lasting reason has a source without records, which notes it.
struct ReadFile {
  std::uint64_t bytes = 0;     // as the plan counted them
  std::size_t text_bytes = 0;  // of its drawers, which of a packed document may be many more
  std::size_t scope = 0;       // by its number
  bool is_known = false;
  bool is_same = false;  // a known one, whose bytes are what they were
  std::vector<ImportedSource> sources = {};
  std::optional<PassedOver> passed_over = {};
};

// The recipes, the plan's files and its gone sources outlive the reader; nobody else touches the latter
// until it is stopped.
class SourceReader {
 public:
  struct Work {
    std::span<const Recipe> recipes;  // of the scopes
    const Collection* drawers;        // null: there are none yet
    const std::vector<FileToRead>& files;
    GoneSources& gone;
    std::uint64_t max_file_bytes;
    Deleted deleted;
  };

  // Begins to read.
  explicit SourceReader(Work work);
  SourceReader(const SourceReader&) = delete;
  SourceReader& operator=(const SourceReader&) = delete;
  ~SourceReader() { static_cast<void>(stop()); }

  // The next file; nothing when all are done, or after stop().
  std::optional<ReadFile> next() { return queue_.pop(); }

  // Ends the thread. What it failed with: a lack of memory, or the store.
  Status stop();

 private:
  void run();
  Status read_all();
  Result<ReadFile> read(const FileToRead& planned);
  Status mark_erased(SourceUpdate& update) const;
  Status find_name_before(SourceUpdate& update, const FileStamp& stamp, const std::string& content_hash);

  const Work work_;
  BoundedQueue<ReadFile> queue_;
  Status failure_;  // written before the thread ends, read after
  std::thread thread_;
};

}  // namespace loci
