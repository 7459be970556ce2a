// Wall-clock time as milliseconds since 1970-01-01T00:00:00Z, and its text form. Any thread may call these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loci {

std::int64_t now_unix_ms();

// "2026-01-31T12:34:56.789Z". Years outside 0000 to 9999 are clamped to that range.
std::string to_iso8601(std::int64_t unix_ms);

// Reads what to_iso8601 writes and its common relatives: a date alone (midnight UTC), a space or a small letter instead
// of 'T', no seconds, one to nine digits of fraction (cut to milliseconds), and "Z", "+02:00", "+0200", "+02" or
// nothing (UTC) at the end. Nothing for any other text, nor for a day that no calendar has.
std::optional<std::int64_t> from_iso8601(std::string_view text);

}  // namespace loci
