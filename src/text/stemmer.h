// English stems (Porter 2, by libstemmer), with a memory of the last words: text repeats itself, and a stem costs more
// than all the rest of cutting a word out of its text.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace loci {

// One instance per thread.
class Stemmer {
 public:
  Stemmer();

  // The stem of a word of small ASCII letters; valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  static constexpr std::size_t kMaxRememberedBytes = 15;
  static constexpr std::size_t kFirstEntries = 128;  // enough for a question, whose stemmer should cost little
  static constexpr std::size_t kMostEntries = 8192;

  struct Entry {
    std::array<char, kMaxRememberedBytes> word;
    unsigned char word_size;
    std::array<char, kMaxRememberedBytes> stem;
    unsigned char stem_size;
  };
  struct Deleter {
    void operator()(sb_stemmer* stemmer) const;
  };

  std::string_view compute(std::string_view word);

  std::unique_ptr<sb_stemmer, Deleter> stemmer_;
  std::size_t computed_ = 0;    // words, since the entries were made
  std::vector<Entry> entries_;  // the place of a word follows from its letters; a new word takes it from the old one
};

}  // namespace loci
