// Whether a term stands in a text letter by letter. The word index cannot tell: it knows stems, and one identifier in
// all its spellings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci {

enum class ExactMatch : std::uint8_t {
  none,  // not there, or only inside of a word
  part,  // inside of something longer that signs hold together: src/main.cc in lib/src/main.cc
  whole,
};

// Compares without regard to capitals, in any script, and to how words are spaced and broken into lines. Any thread may
// use it.
class ExactMatcher {
 public:
  explicit ExactMatcher(std::string_view term);

  // The best place of the term in the text.
  ExactMatch find(std::string_view text) const;

 private:
  std::string term_;
};

}  // namespace loci
