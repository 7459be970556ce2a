#include "embed/hash_embedder.h"

#include <cmath>
#include <cstdint>
#include <string_view>

namespace loci {
namespace {

// FNV-1a: short, and the same everywhere, unlike std::hash.
std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void add_word(Embedding& vector, std::string_view word) {
  const std::uint64_t hash = hash_bytes(word);
  // The sign comes from a bit that the position does not use, so that words which collide may also cancel.
  vector[hash % vector.size()] += (hash >> 63) != 0 ? 1.0F : -1.0F;
}

double squared_length(const Embedding& vector) {
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

Embedding embed_one(std::string_view text, std::size_t dimension) {
  Embedding vector(dimension, 0.0F);
  const std::string lower = lower_ascii(text);
  std::size_t begin = 0;
  while (begin < lower.size()) {
    std::size_t end = begin;
    while (end < lower.size() && is_word_byte(lower[end])) ++end;
    if (end > begin) add_word(vector, std::string_view(lower).substr(begin, end - begin));
    begin = end + 1;
  }
  // No words, or words that cancel: the contract forbids a zero vector, so the text as a whole names a direction.
  if (squared_length(vector) == 0) vector[hash_bytes(text) % dimension] = 1.0F;

  const auto scale = static_cast<float>(1.0 / std::sqrt(squared_length(vector)));
  for (float& value : vector) value *= scale;
  return vector;
}

}  // namespace

std::string HashEmbedder::model_name() const { return "hash-" + std::to_string(dimension_); }

Result<std::vector<Embedding>> HashEmbedder::embed(std::span<const std::string> texts) const {
  std::vector<Embedding> vectors;
  vectors.reserve(texts.size());
  for (const std::string& text : texts) vectors.push_back(embed_one(text, dimension_));
  return vectors;
}

}  // namespace loci
