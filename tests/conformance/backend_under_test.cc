#include "tests/conformance/backend_under_test.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/random.h"
#include "store/chroma/folder_backend.h"
#include "store/chroma/server_backend.h"
#include "store/embedded/embedded_backend.h"
#include "tests/conformance/memory_backend.h"
#include "tests/fast_folder.h"

namespace loci::conformance {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class MemorySite : public Site {
 public:
  explicit MemorySite(MemoryOptions options) : options_(std::move(options)) {}
  std::unique_ptr<Backend> make_backend() override { return make_memory_backend(disk_, options_); }
  PalaceRef palace(std::string_view label) const override { return {.id = std::string(label)}; }

 private:
  const std::shared_ptr<MemoryDisk> disk_ = make_memory_disk();
  const MemoryOptions options_;
};

// For backends that keep a palace in a folder.
class FolderSite : public Site {
 public:
  explicit FolderSite(std::function<std::unique_ptr<Backend>()> make) : make_(std::move(make)) {}
  std::unique_ptr<Backend> make_backend() override { return make_(); }
  PalaceRef palace(std::string_view label) const override { return PalaceRef::at(folder_.path() / label); }

 private:
  const TemporaryFolder folder_ = fast_folder();
  const std::function<std::unique_ptr<Backend>()> make_;
};

// For databases of a Chroma server that others use at the same time: every site has tenants of its own.
class ServerSite : public Site {
 public:
  explicit ServerSite(std::string url) : url_(std::move(url)) {}
  std::unique_ptr<Backend> make_backend() override { return make_chroma_server_backend(); }
  PalaceRef palace(std::string_view label) const override {
    std::string tenant(label);
    std::replace(tenant.begin(), tenant.end(), ' ', '_');
    return {.id = url_ + "/" + mark_ + "_" + tenant};
  }

 private:
  const std::string url_;
  const std::string mark_ = random_hex(8);
};

// The embedded backend with all of its vector index in use for the smallest collections: segments after every write,
// merges, one-bit codes and lists.
std::unique_ptr<Backend> make_indexed_backend() {
  return make_embedded_backend({.first_rows = 1,
                                .tail_rows = 1,
                                .scan_bytes_up_to = 0,
                                .partition_rows = 8,
                                .segment_bytes = 100,
                                .after_every_write = true});
}

std::unique_ptr<Backend> make_chroma_backend_for_folders() {
  return make_chroma_folder_backend({.migrations = LOCI_CHROMA_MIGRATIONS_FILE});
}
std::string why_no_chroma_folder() {
  if (std::filesystem::exists(LOCI_CHROMA_MIGRATIONS_FILE)) return "";
  return "it makes no folder without " LOCI_CHROMA_MIGRATIONS_FILE "; tools/setup.sh chroma-migrations fetches that";
}

MemoryOptions memory_options() {
  const std::string name = environment("LOCI_CONFORMANCE_DEFECT");
  const std::optional<Defect> defect = parse_defect(name.empty() ? "none" : name);
  // A misspelt defect would be a backend without one, and a green run that proves nothing.
  if (!defect) throw std::invalid_argument("LOCI_CONFORMANCE_DEFECT names no defect: " + name);
  return {.defect = *defect};
}

}  // namespace

std::vector<BackendUnderTest> backends_under_test() {
  std::vector<BackendUnderTest> backends{
      {.name = "memory", .make_site = [] { return std::make_unique<MemorySite>(memory_options()); }},
      {.name = "memory_plain",
       .make_site =
           [] {
             return std::make_unique<MemorySite>(
                 MemoryOptions{.info = plain_memory_info(), .details = KeepDetails::no});
           }},
      {.name = "loci",
       .make_site = [] { return std::make_unique<FolderSite>([] { return make_embedded_backend(); }); }},
      {.name = "chroma",
       .make_site = [] { return std::make_unique<FolderSite>(make_chroma_backend_for_folders); },
       .why_absent = why_no_chroma_folder},
      {.name = "loci_indexed", .make_site = [] { return std::make_unique<FolderSite>(make_indexed_backend); }},
  };
  if (const std::string url = environment("LOCI_CHROMA_SERVER"); !url.empty()) {
    // A cosine collection keeps directions and lengths apart and multiplies them when it is read; the square of a
    // length must be a normal number. An add of an id that exists is ignored without a word, so that it is asked for
    // before.
    backends.push_back({.name = "chroma_server",
                        .make_site = [url] { return std::make_unique<ServerSite>(url); },
                        .vector_tolerance = 1e-6,
                        .shortest_vector = 1.1e-19F,
                        .longest_vector = 1.8e19F,
                        .one_add_wins = false});
  }
  if (const std::string name = environment("LOCI_CONFORMANCE_ABSENT"); !name.empty()) {
    backends.push_back({.name = name, .make_site = nullptr, .why_absent = [] { return "it was said to be"; }});
  }
  return backends;
}

}  // namespace loci::conformance
