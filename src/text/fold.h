// Takes away what people do not tell words apart by when they search: upper and lower case, accents, width, ligatures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loci {

// Holds a buffer: one instance per thread.
class Folder {
 public:
  // Appends the folded form of the word, which must be valid UTF-8. Accents are dropped from Latin, Greek and Cyrillic,
  // points from Hebrew and Arabic; the vowel signs of Indic scripts, of Thai and the sound marks of kana stay, for they
  // are part of the word. Only the first kMaxWordBytes are looked at. Folding twice gives the same as folding once.
  void append_folded(std::string_view word, std::string& out);

  static constexpr std::size_t kMaxWordBytes = 512;

 private:
  void append_decomposed(std::string_view word, std::string& out);

  std::vector<std::int32_t> code_points_;
};

}  // namespace loci
