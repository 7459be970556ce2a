// Values as JSON text, such that reading the text gives the very same value back. Pure functions that append to `out`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loci/metadata.h"
#include "loci/record.h"

namespace loci {

// With quotes. Valid UTF-8 stays as it is; only what JSON forbids inside a string is escaped.
void append_json_string(std::string& out, std::string_view text);

// The shortest text that reads back as the same number, always with a point or an exponent: 1.0, never 1, since 1 would
// read back as an integer. The number must be finite.
void append_json_real(std::string& out, double value);

void append_json_integer(std::string& out, std::int64_t value);

// The shortest numbers that read back as the same float32, which must be finite.
void append_json_vector(std::string& out, const Embedding& embedding);

void append_json_value(std::string& out, const MetadataValue& value);
void append_json_metadata(std::string& out, const Metadata& metadata);

// Can the value be written? Infinities and NaN cannot.
bool has_json_form(const MetadataValue& value);

}  // namespace loci
