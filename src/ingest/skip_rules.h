// What nobody wants to find again, whatever the ignore files say: version control, build output, caches, lock files,
// pictures, programs, keys. `--include` brings single ones back. Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <string_view>

namespace loci {

// Why an entry was not taken.
enum class PassReason {
  ignored,      // by .gitignore or .lociignore
  excluded,     // by the project's own configuration
  tool_folder,  // version control, build output, caches, packages
  lock_file,
  secret,  // keys and credentials by their name
  binary,
  minified,
  own_store,  // a palace, or a file that configures mining
  too_large,
  symbolic_link,  // leads elsewhere; what it names is taken where it is
  special_file,   // a pipe, a socket, a device
  bad_name,       // not UTF-8
  unreadable,
  vanished,  // while it was read
  changed,   // while it was read, again and again
};

// "lock_file": the name that answers use.
std::string_view to_string(PassReason reason);

// Is it something that a person should know of one by one, rather than as a number?
bool is_problem(PassReason reason);

// By its name alone. Nothing: there is no reason.
std::optional<PassReason> reason_to_skip_folder(std::string_view name);
std::optional<PassReason> reason_to_skip_file(std::string_view name);

// Is it code for machines: a script or style sheet with a line over 5,000 characters?
bool is_minified(std::string_view file_name, std::string_view text);

}  // namespace loci
