#include "text/stemmer.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <libstemmer.h>

namespace loci {
namespace {

std::size_t hash(const char* bytes, std::size_t size) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (size > 8) {
    std::memcpy(&low, bytes, 8);
    std::memcpy(&high, bytes + size - 8, 8);
  } else {
    std::memcpy(&low, bytes, size);
  }
  const std::uint64_t mixed = (low ^ (high << 1) ^ size) * 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>(mixed >> 40);
}

}  // namespace

void Stemmer::Deleter::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

// The words are ASCII, which the variant for one-byte characters reads faster than that for UTF-8.
Stemmer::Stemmer() : stemmer_(sb_stemmer_new("english", "ISO_8859_1")), entries_(kFirstEntries) {
  if (stemmer_ == nullptr) std::abort();  // English is compiled in; only memory can be missing
}

std::string_view Stemmer::stem(std::string_view word) {
  if (word.empty() || word.size() > kMaxRememberedBytes) return compute(word);
  if (computed_ > entries_.size() && entries_.size() < kMostEntries) {
    entries_.assign(kMostEntries, Entry{});
    computed_ = 0;
  }
  Entry& entry = entries_[hash(word.data(), word.size()) % entries_.size()];
  if (entry.word_size != word.size() || std::memcmp(entry.word.data(), word.data(), word.size()) != 0) {
    const std::string_view computed = compute(word);
    ++computed_;
    if (computed.size() > kMaxRememberedBytes) return computed;
    std::memcpy(entry.word.data(), word.data(), word.size());
    entry.word_size = static_cast<unsigned char>(word.size());
    std::memcpy(entry.stem.data(), computed.data(), computed.size());
    entry.stem_size = static_cast<unsigned char>(computed.size());
  }
  return {entry.stem.data(), entry.stem_size};
}

std::string_view Stemmer::compute(std::string_view word) {
  const auto* bytes = reinterpret_cast<const sb_symbol*>(word.data());
  const sb_symbol* stem = sb_stemmer_stem(stemmer_.get(), bytes, static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace loci
