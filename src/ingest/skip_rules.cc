#include "ingest/skip_rules.h"

#include <algorithm>
#include <array>
#include <string>

namespace loci {
namespace {

constexpr std::size_t kLongestLine = 5'000;  // of a script that a person wrote

constexpr std::array<std::string_view, 7> kVersionControl = {".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", ".jj"};
constexpr std::array<std::string_view, 37> kToolFolders = {
    "node_modules", "bower_components", "__pycache__", ".venv",         "venv",        ".tox",       ".nox",
    ".mypy_cache",  ".pytest_cache",    ".ruff_cache", ".eggs",         "build",       "dist",       ".next",
    ".nuxt",        ".svelte-kit",      ".turbo",      ".parcel-cache", ".cache",      ".gradle",    ".idea",
    ".vs",          ".terraform",       "coverage",    "htmlcov",       ".nyc_output", ".yarn",      ".pnpm-store",
    "Pods",         "DerivedData",      ".dart_tool",  ".stack-work",   "zig-cache",   ".zig-cache", "_build",
    ".direnv",      ".Trash",
};
constexpr std::array<std::string_view, 3> kOwnFolders = {".loci", ".mempalace", ".memtomem"};
constexpr std::array<std::string_view, 2> kOwnFiles = {"loci.yaml", "mempalace.yaml"};
constexpr std::array<std::string_view, 20> kLockFiles = {
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock",    "pnpm-lock.yaml", "bun.lock",
    "bun.lockb",         "Cargo.lock",          "poetry.lock",  "Pipfile.lock",   "uv.lock",
    "pdm.lock",          "composer.lock",       "Gemfile.lock", "go.sum",         "flake.lock",
    "gradle.lockfile",   "packages.lock.json",  "deno.lock",    "mix.lock",       "pubspec.lock",
};
constexpr std::array<std::string_view, 8> kSecretNames = {
    ".env", ".netrc", ".pgpass", ".htpasswd", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
};
constexpr std::array<std::string_view, 5> kSecretEndings = {"pem", "key", "p12", "pfx", "kdbx"};
// Read anyway they would be found to be no text; this saves the reading.
constexpr std::array<std::string_view, 62> kBinaryEndings = {
    "png",  "jpg",         "jpeg", "gif",   "webp", "bmp",   "ico", "tif",    "tiff",    "heic",    "avif",
    "psd",  "mp3",         "wav",  "ogg",   "flac", "m4a",   "mp4", "mov",    "avi",     "mkv",     "webm",
    "zip",  "gz",          "bz2",  "xz",    "zst",  "7z",    "rar", "tar",    "tgz",     "jar",     "war",
    "apk",  "deb",         "rpm",  "iso",   "dmg",  "exe",   "dll", "so",     "dylib",   "a",       "o",
    "obj",  "lib",         "pyc",  "class", "wasm", "bin",   "db",  "sqlite", "sqlite3", "parquet", "npy",
    "onnx", "safetensors", "gguf", "ttf",   "woff", "woff2", "otf",
};

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  std::string ending(name.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return ending;
}

}  // namespace

std::string_view to_string(PassReason reason) {
  switch (reason) {
    case PassReason::ignored: return "ignored";
    case PassReason::excluded: return "excluded";
    case PassReason::tool_folder: return "tool_folder";
    case PassReason::lock_file: return "lock_file";
    case PassReason::secret: return "secret";
    case PassReason::binary: return "binary";
    case PassReason::not_text: return "not_text";
    case PassReason::minified: return "minified";
    case PassReason::other_format: return "other_format";
    case PassReason::own_store: return "own_store";
    case PassReason::too_large: return "too_large";
    case PassReason::symbolic_link: return "symbolic_link";
    case PassReason::special_file: return "special_file";
    case PassReason::bad_name: return "bad_name";
    case PassReason::unreadable: return "unreadable";
    case PassReason::vanished: return "vanished";
    case PassReason::changed: return "changed";
    case PassReason::damaged: return "damaged";
    case PassReason::no_text: return "no_text";
    case PassReason::no_reader: return "no_reader";
  }
  return "ignored";
}

std::optional<PassReason> parse_pass_reason(std::string_view name) {
  for (int number = 0; number <= static_cast<int>(PassReason::no_reader); ++number) {
    if (const auto reason = static_cast<PassReason>(number); to_string(reason) == name) return reason;
  }
  return std::nullopt;
}

bool is_lasting(PassReason reason) {
  switch (reason) {
    case PassReason::binary:
    case PassReason::not_text:
    case PassReason::minified:
    case PassReason::too_large:
    case PassReason::damaged:
    case PassReason::no_text: return true;
    default: return false;
  }
}

std::string_view advice_on(PassReason reason) {
  switch (reason) {
    case PassReason::not_text: return "there are too many NUL or control characters in it";
    case PassReason::too_large: return "it has more text than is taken of one document";
    case PassReason::damaged: return "it cannot be read as what its name says";
    case PassReason::no_text: return "there is no text in it; a scan needs a program that recognises letters";
    case PassReason::no_reader: return "apt-get install poppler-utils brings the reader of PDF files";
    default: return {};
  }
}

std::string too_large_detail(std::uint64_t size_bytes, std::uint64_t max_bytes) {
  return std::to_string(size_bytes) + " bytes, and up to " + std::to_string(max_bytes) +
         " are taken; --max-size sets another limit";
}

bool is_problem(PassReason reason) {
  switch (reason) {
    case PassReason::not_text:
    case PassReason::too_large:
    case PassReason::special_file:
    case PassReason::bad_name:
    case PassReason::unreadable:
    case PassReason::vanished:
    case PassReason::changed:
    case PassReason::damaged:
    case PassReason::no_text:
    case PassReason::no_reader: return true;
    default: return false;
  }
}

std::optional<PassReason> reason_to_skip_folder(std::string_view name) {
  if (contains(kVersionControl, name) || contains(kToolFolders, name) || name.ends_with(".egg-info"))
    return PassReason::tool_folder;
  if (contains(kOwnFolders, name)) return PassReason::own_store;
  return std::nullopt;
}

std::optional<PassReason> reason_to_skip_file(std::string_view name) {
  if (contains(kLockFiles, name)) return PassReason::lock_file;
  if (contains(kOwnFiles, name)) return PassReason::own_store;
  const std::string ending = ending_of(name);
  if (contains(kSecretNames, name) || contains(kSecretEndings, ending)) return PassReason::secret;
  if (name.starts_with(".env.") && ending != "example" && ending != "sample") return PassReason::secret;
  if (contains(kBinaryEndings, ending)) return PassReason::binary;
  if (name.find(".min.") != std::string_view::npos || ending == "map") return PassReason::minified;
  return std::nullopt;
}

bool is_never_entered(std::string_view folder_name) {
  return contains(kVersionControl, folder_name) || contains(kOwnFolders, folder_name);
}

bool is_minified(std::string_view file_name, std::string_view text) {
  const std::string ending = ending_of(file_name);
  constexpr std::array<std::string_view, 5> kEndings = {"js", "mjs", "cjs", "css", "jsx"};
  if (!contains(kEndings, ending)) return false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kLongestLine) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace loci
