#include "ops/doctor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "loci/collection.h"
#include "ops/migration_record.h"
#include "store/contract.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMiB = std::uintmax_t{1} << 20;
constexpr std::uintmax_t kTightSpace = 1024 * kMiB;
constexpr std::uintmax_t kNoSpace = 64 * kMiB;  // SQLite needs room for its log before it can store anything
constexpr std::array<std::int64_t, 3> kOldestSafeSqlite = {
    3, 51, 3};  // older ones can damage a database that two processes write to
constexpr double kWantedRecall = 0.99;
constexpr std::int64_t kLongLogBytes = std::int64_t{256} << 20;

std::string megabytes(std::uintmax_t bytes) {
  if (bytes >= 10240 * kMiB) return std::to_string(bytes / (1024 * kMiB)) + " GiB";
  if (bytes >= 10 * kMiB) return std::to_string(bytes / kMiB) + " MiB";
  return std::to_string(bytes / 1024) + " KiB";
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string four_digits(double part) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4f", part);
  return text.data();
}

Check failed(std::string name, const Error& error, std::string fix = {}) {
  return {.name = std::move(name), .state = CheckState::problem, .detail = error.message, .fix = std::move(fix)};
}

void check_configuration(const std::vector<ConfigurationFile>& files, std::vector<Check>& checks) {
  for (const ConfigurationFile& file : files) {
    Check check{.name = "configuration", .detail = file.path.string()};
    if (!file.status.ok()) {
      check = failed("configuration", file.status.error(), "correct the file; it was not changed");
    } else if (!file.is_present) {
      check.detail += " (not there, which is fine)";
    }
    checks.push_back(std::move(check));
  }
}

std::string octal(fs::perms permissions) {
  auto bits = static_cast<unsigned>(permissions & fs::perms::mask);
  std::string digits(4, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, bits >>= 3)
    *digit = static_cast<char>('0' + (bits & 7));
  return digits;
}

// The palace is one person's memory, so neither the folder nor a file in it is for others.
Check check_permissions(const fs::path& folder) {
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  std::vector<fs::path> open_to_others;
  std::error_code error;
  const fs::perms permissions = fs::status(folder, error).permissions();
  if ((permissions & kOthers) != fs::perms::none) open_to_others.push_back(folder);
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    const fs::file_status status = entry->status(ignored);
    if (fs::is_regular_file(status) && (status.permissions() & kOthers) != fs::perms::none)
      open_to_others.push_back(entry->path());
  }
  if (error) return failed("permissions", {ErrorKind::io, "cannot list " + folder.string() + ": " + error.message()});
  if (open_to_others.empty()) return {.name = "permissions", .detail = octal(permissions) + ", for its owner alone"};
  return {.name = "permissions",
          .state = CheckState::warning,
          .detail = "others on this machine may have access to " + open_to_others.front().string() +
                    (open_to_others.size() == 1 ? "" : " and " + std::to_string(open_to_others.size() - 1) + " more"),
          .fix = "chmod -R go-rwx " + folder.string()};
}

Check check_space(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error)
    return failed("disk space",
                  {ErrorKind::io, "cannot ask for the free space of " + folder.string() + ": " + error.message()});
  Check check{.name = "disk space", .detail = megabytes(space.available) + " free"};
  if (space.available >= kTightSpace) return check;
  check.state = space.available < kNoSpace ? CheckState::problem : CheckState::warning;
  check.fix = "free some space; a write that finds none fails and changes nothing";
  return check;
}

// False: there is no folder to look into further.
bool check_folder(const PalaceRef& palace, std::vector<Check>& checks) {
  const fs::path& folder = *palace.local_path;
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) {
    checks.push_back({.name = "palace",
                      .state = CheckState::warning,
                      .detail = folder.string() + " is not there",
                      .fix = "loci init makes it; add, import and mine do so too"});
    return false;
  }
  if (!fs::is_directory(status)) {
    const std::string why = fs::status_known(status) ? "is not a folder" : "cannot be opened: " + error.message();
    checks.push_back(
        failed("palace", {ErrorKind::io, folder.string() + " " + why}, "choose another place with --palace"));
    return false;
  }
  checks.push_back({.name = "palace", .detail = folder.string()});
  checks.push_back(check_permissions(folder));
  checks.push_back(check_space(folder));
  return true;
}

// The parts of "3.53.4"; missing ones are 0.
std::array<std::int64_t, 3> version_parts(std::string_view version) {
  std::array<std::int64_t, 3> parts{};
  std::size_t part = 0;
  for (const char c : version) {
    if (c == '.') {
      if (++part == parts.size()) break;
    } else if (c >= '0' && c <= '9') {
      parts[part] = parts[part] * 10 + (c - '0');
    }
  }
  return parts;
}

template <typename Value>
const Value* state_value(const Metadata& state, std::string_view key) {
  const auto found = state.find(key);
  return found == state.end() ? nullptr : std::get_if<Value>(&found->second);
}

// The index for searches by vector, with the recall that was measured on the rows themselves when it was built.
void check_vector_index(const Metadata& state, std::vector<Check>& checks) {
  const auto* kind = state_value<std::string>(state, "vector_index");
  if (kind == nullptr) return;
  Check check{.name = "vector index", .detail = *kind};
  const auto number = [&](std::string_view key) {
    const auto* value = state_value<std::int64_t>(state, key);
    return value == nullptr ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(*value, 0));
  };
  if (const std::size_t segments = number("vector_segments"); segments > 0) {
    check.detail =
        counted(segments, "segment", "segments") + " of " + counted(number("vector_rows"), "record", "records");
    if (const std::size_t bytes = number("vector_bytes"); bytes > 0) check.detail += ", " + megabytes(bytes);
    if (const std::size_t lists = number("vector_lists"); lists > 0)
      check.detail += ", " + counted(lists, "list", "lists");
    if (const auto* recall = state_value<double>(state, "vector_recall")) {
      check.detail += ", measured recall at 10 " + four_digits(*recall);
      if (*recall < kWantedRecall) {
        check.state = CheckState::warning;
        check.fix = "loci search --exact compares with every vector; loci maintenance run reindex measures anew";
      }
    }
  }
  if (const std::size_t tail = number("vector_tail"); tail > 0)
    check.detail += ", " + counted(tail, "record is", "records are") + " compared one by one";
  if (const auto* problems = state_value<std::vector<std::string>>(state, "vector_problems");
      problems != nullptr && !problems->empty()) {
    check.state = CheckState::warning;
    check.detail += "; searches are exact and slower: " + problems->front();
    check.fix = "loci maintenance run reindex makes it again; so does the background after the next write or search";
  } else if (const auto* due = state_value<bool>(state, "vector_due"); due != nullptr && *due) {
    check.state = CheckState::warning;
    check.detail += "; it is behind, so that searches are slower than they need be";
    check.fix = "loci embed brings it up to date; so does the background after the next write";
  }
  checks.push_back(std::move(check));
}

// What a backend says of itself. A key that it does not have is no check.
void check_state(const Metadata& state, std::vector<Check>& checks) {
  if (const auto* version = state_value<std::string>(state, "sqlite_version")) {
    Check check{.name = "sqlite", .detail = *version};
    if (version_parts(*version) < kOldestSafeSqlite) {
      check.state = CheckState::problem;
      check.detail += ", which can damage a database that two processes write to";
      check.fix = "build Loci with SQLite 3.51.3 or newer";
    }
    checks.push_back(std::move(check));
  }
  if (const auto* schema = state_value<std::int64_t>(state, "schema_version")) {
    checks.push_back({.name = "schema", .detail = "version " + std::to_string(*schema)});
  }
  if (const auto* bytes = state_value<std::int64_t>(state, "database_bytes")) {
    Check check{.name = "database",
                .detail = megabytes(static_cast<std::uintmax_t>(std::max<std::int64_t>(*bytes, 0)))};
    const auto* log_bytes = state_value<std::int64_t>(state, "wal_bytes");
    if (log_bytes != nullptr && *log_bytes > kLongLogBytes) {
      check.state = CheckState::warning;
      check.detail += ", with " + megabytes(static_cast<std::uintmax_t>(*log_bytes)) + " of log that is not merged yet";
      check.fix = "end programs that keep reading the palace; the log is merged when they are gone";
    }
    checks.push_back(std::move(check));
  }
  check_vector_index(state, checks);
}

Check check_collection(Backend& backend, const DoctorRequest& request, const CollectionInfo& info) {
  Check check{.name = "collection " + info.name};
  const Result<std::shared_ptr<Collection>> opened =
      backend.collection(request.palace, info.name, {.access = Access::read_only});
  if (!opened.ok()) return failed(check.name, opened.error());
  const Health health = (*opened)->health();
  if (!health.healthy) return failed(check.name, {ErrorKind::corruption, health.detail});
  const Result<std::size_t> count = (*opened)->count();
  if (!count.ok()) return failed(check.name, count.error());

  check.detail = counted(*count, "record", "records") + ", " + std::string(to_string(info.metric));
  if (info.dimension) check.detail += ", " + std::to_string(*info.dimension) + " dimensions";
  const bool has_vectors = info.dimension.has_value();  // the first one brings it, and the model's name
  check.detail += !info.model.empty() ? ", model " + info.model : has_vectors ? ", model unknown" : ", no model yet";
  if (info.pending != 0)
    check.detail += ", " + counted(info.pending, "record waits for its vector", "records wait for their vectors");
  if (info.missing != 0)
    check.detail += ", " + counted(info.missing, "record lacks its vector", "records lack their vectors") +
                    " (loci embed --missing)";
  if (info.model.empty() && info.dimension) {
    check.state = CheckState::warning;
    check.fix = "loci set-embedder --model NAME says which model made the vectors; until then no text can be embedded";
  } else if (!info.model.empty() && !request.current_model.empty() && info.model != request.current_model) {
    check.state = CheckState::warning;
    check.detail += ", but the current model is " + request.current_model;
    check.fix = "set the embedder back to " + info.model + "; or --force-model-swap goes on with the current one";
  }
  return check;
}

// Opened for writing, a palace would be brought up to date or mended.
void check_palace_content(Backend& backend, const DoctorRequest& request, std::vector<Check>& checks) {
  const Result<Metadata> state = backend.maintenance_state(request.palace, Access::read_only);
  if (!state.ok() && state.error().kind == ErrorKind::palace_not_found) {
    checks.push_back({.name = "content",
                      .state = CheckState::warning,
                      .detail = state.error().message,
                      .fix = "loci init makes a palace"});
    return;
  }
  if (!state.ok() && state.error().kind == ErrorKind::busy) {
    checks.push_back({.name = "content",
                      .state = CheckState::warning,
                      .detail = "others store too much to look at it",
                      .fix = "run doctor again when they are done"});
    return;
  }
  if (state.ok()) {
    check_state(*state, checks);
  } else {
    checks.push_back(failed("content", state.error()));
  }
  const Result<std::vector<CollectionInfo>> collections = backend.collections(request.palace, Access::read_only);
  if (!collections.ok()) {
    // One error is told once: a file that is no database fails for both questions.
    if (state.ok()) checks.push_back(failed("collections", collections.error()));
    return;
  }
  const std::size_t before = checks.size();
  for (const CollectionInfo& info : *collections) {
    if (info.name != kMigrationsCollection) checks.push_back(check_collection(backend, request, info));
  }
  if (checks.size() == before) checks.push_back({.name = "collections", .detail = "none yet"});
}

}  // namespace

std::string_view to_string(CheckState state) {
  switch (state) {
    case CheckState::ok: return "ok";
    case CheckState::warning: return "warning";
    case CheckState::problem: return "problem";
  }
  return "problem";
}

std::vector<Check> diagnose(Backend* backend, const DoctorRequest& request) {
  std::vector<Check> checks;
  checks.push_back({.name = "program", .detail = "loci " + request.program_version});
  check_configuration(request.configuration, checks);
  if (backend != nullptr) {
    std::string detail = backend->info().name + ", spec " + backend->info().spec_version;
    if (!request.backend_reason.empty()) detail += " (" + request.backend_reason + ")";
    checks.push_back({.name = "backend", .detail = std::move(detail)});
  }
  if (request.palace.local_path && !check_folder(request.palace, checks)) return checks;
  if (backend != nullptr) check_palace_content(*backend, request, checks);
  return checks;
}

CheckState worst(const std::vector<Check>& checks) {
  CheckState state = CheckState::ok;
  for (const Check& check : checks) state = std::max(state, check.state);
  return state;
}

}  // namespace loci
