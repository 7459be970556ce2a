// What kind of character the tokenizers of the BERT family take a character for.
#pragma once

#include <cstdint>

namespace loci {

enum class BertCategory : std::uint8_t {
  dropped,      // control and format characters, private use
  mark,         // a mark without width, such as an accent
  punctuation,  // a word of its own
  other,
};

// For code points from 0x80 on. It follows the reference, whose tables are of Unicode 8: what came later is `other`.
BertCategory bert_category(char32_t code_point);

}  // namespace loci
