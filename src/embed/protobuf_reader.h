// Walks over the fields of a protobuf message without knowing its schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loci {

struct ProtobufField {
  std::uint64_t number = 0;
  std::uint64_t integer = 0;            // of a field with an integer
  std::span<const std::uint8_t> bytes;  // of a field with a length, or the bytes of a fixed-size one
  bool is_integer = false;
};

class ProtobufReader {
 public:
  explicit ProtobufReader(std::span<const std::uint8_t> message) : rest_(message) {}

  // Nothing at the end, and when the message is malformed: then is_sound() is false.
  std::optional<ProtobufField> next();
  bool is_sound() const { return is_sound_; }

  // An integer of varying length, as lists of them have no fields.
  std::optional<std::uint64_t> next_integer();

 private:
  bool take(std::size_t size, std::span<const std::uint8_t>& out);

  std::span<const std::uint8_t> rest_;
  bool is_sound_ = true;
};

}  // namespace loci
