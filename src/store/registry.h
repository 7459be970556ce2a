// Where backends are found by name (rules G1 and G2 of docs/storage_contract.md), and which one a palace gets (G3).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/mutex.h"
#include "loci/backend.h"
#include "loci/result.h"

namespace loci {

using BackendFactory = std::function<Result<std::unique_ptr<Backend>>()>;

// Stronger origins come first: of two backends with one name the stronger one is used.
enum class BackendOrigin { code, built_in, plug_in };
std::string_view to_string(BackendOrigin origin);

// A backend is made when it is first asked for and lives as long as the registry. Many threads may use a registry.
class BackendRegistry {
 public:
  // Errors: invalid_argument (no name), already_exists: the same name and origin twice, or a backend of that name is in
  // use already. A weaker origin than the one that is there changes nothing, and is fine.
  Status add(std::string_view name, BackendOrigin origin, BackendFactory factory);

  // Errors: not_found, listing the names there are; version_mismatch, naming both versions, for a backend that is made
  // for another major version of the contract; what the factory returns.
  Result<Backend*> find(std::string_view name);

  // Ordered.
  std::vector<std::string> names() const;

  // The names of the backends whose files the folder holds, ordered. A backend that cannot be made detects nothing.
  std::vector<std::string> detect(const std::filesystem::path& folder);

  // May this backend keep a palace in the folder? A second one beside another backend's would hide it. Errors:
  // invalid_argument when only others have files there, naming them.
  Status check_folder(std::string_view name, const std::filesystem::path& folder);

  // Closes the backends that were made.
  void close();

 private:
  struct Entry {
    BackendOrigin origin;
    BackendFactory factory;
    std::unique_ptr<Backend> backend;  // null until asked for
  };
  Result<Backend*> find_locked(std::string_view name) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
};

// G2: does a backend of this spec version fit ours? Errors: version_mismatch, naming both.
Status check_spec_version(std::string_view backend, std::string_view spec_version);

inline constexpr std::string_view kDefaultBackend = "loci";

// Why a palace got its backend, strongest first.
enum class BackendSource { flag, palace_configuration, environment, detection, default_name };

// What the user said; an empty text is the same as none.
struct BackendWishes {
  std::optional<std::string> flag = {};
  std::optional<std::string> palace_configuration = {};
  std::optional<std::string> environment = {};
  std::string default_name{kDefaultBackend};
};
struct BackendChoice {
  std::string name;
  BackendSource source = BackendSource::default_name;

  friend bool operator==(const BackendChoice&, const BackendChoice&) = default;
};

enum class PalaceState { existing, fresh };  // fresh: about to be created, so there is nothing to detect

// G3: flag > palace configuration > environment > what is found on disk > default. `detect` is asked only for an
// existing palace about which nobody said anything. Errors: invalid_argument when the folder holds files of several
// backends, naming them.
Result<BackendChoice> select_backend(const BackendWishes& wishes, PalaceState palace,
                                     FunctionRef<std::vector<std::string>()> detect);

}  // namespace loci
