// What nobody wants to find again, whatever the ignore files say: version control, build output, caches, lock files,
// pictures, programs, keys. `--include` brings single ones back. Pure functions; any thread may call them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  not_text,  // binary, though its name is that of a text
  minified,
  other_format,  // not what the chosen importer reads
  own_store,     // a palace, or a file that configures mining
  too_large,
  symbolic_link,  // leads elsewhere; what it names is taken where it is
  special_file,   // a pipe, a socket, a device
  bad_name,       // not UTF-8
  unreadable,
  vanished,   // while it was read
  changed,    // while it was read, again and again
  damaged,    // a document that cannot be read
  no_text,    // a document without any, such as a scan
  no_reader,  // a document whose reader is not installed
};

// "lock_file": the name that answers use.
std::string_view to_string(PassReason reason);

// The reason of that name, if there is one.
std::optional<PassReason> parse_pass_reason(std::string_view name);

// Does it follow from the bytes of the file alone, so that it holds until they change?
bool is_lasting(PassReason reason);

// What a person may do about it; empty when there is nothing to say.
std::string_view advice_on(PassReason reason);

// What is said of a file that is larger than the request allows.
std::string too_large_detail(std::uint64_t size_bytes, std::uint64_t max_bytes);

// Is it something that a person should know of one by one, rather than as a number?
bool is_problem(PassReason reason);

// By its name alone. Nothing: there is no reason.
std::optional<PassReason> reason_to_skip_folder(std::string_view name);
std::optional<PassReason> reason_to_skip_file(std::string_view name);

// Is it a folder in which there is nothing for anybody, also when `--include` matches what is in it?
bool is_never_entered(std::string_view folder_name);

// Is it code for machines: a script or style sheet with a line over 5,000 characters?
bool is_minified(std::string_view file_name, std::string_view text);

}  // namespace loci
