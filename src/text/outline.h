// Where meaning breaks in a text, as far as its kind shows it. One function per kind; all take time in proportion to
// the text and forgive whatever is malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "text/text_type.h"

namespace loci {

inline constexpr std::size_t kRanks = 16;

// No text is longer than positions in it can say; what is mined is smaller by far.
inline constexpr std::size_t kMostTextBytes = 0xFFFF'FFFF;

// A place where a chunk may begin.
struct Break {
  std::uint32_t byte;
  std::uint8_t rank;  // 0 is the strongest

  bool operator==(const Break&) const = default;
};

// How a piece is cut that is too long and has no breaks of its own: at paragraphs, in prose at sentences, then at
// lines, then between words, then between characters.
enum class Filling { lines, prose };

struct OutlineForm {
  std::size_t eager_ranks =
      0;  // ranks below it are cut at wherever both sides are long enough, not only in what is too long
  std::size_t inner_ranks =
      kRanks;  // ranks from here on are inside of something better kept whole: a fence, a function
  Filling filling = Filling::lines;
};

class Outline {
 public:
  explicit Outline(const OutlineForm& form) : form_(form) {}

  // Breaks come in order. Of two at the same place the stronger stays; a rank past the last counts as the last. The
  // beginning of the text is no break.
  void add(std::size_t byte, std::size_t rank);

  // The lines from `start` to `end` that are not blank.
  void add_lines(std::string_view text, std::size_t start, std::size_t end, std::size_t rank);

  // The breaks of a part that begins at `start`, each `rank` weaker than there.
  void add_part(const Outline& part, std::size_t start, std::size_t rank);

  const std::deque<Break>& breaks() const { return breaks_; }
  const OutlineForm& form() const { return form_; }

 private:
  std::deque<Break> breaks_;
  OutlineForm form_;
};

Outline outline_of(std::string_view text, const TextType& type);

// What outline_of() chooses from.
Outline outline_code(std::string_view text, std::string_view language);
Outline outline_csv(std::string_view text);
Outline outline_html(std::string_view text);
Outline outline_json(std::string_view text);
Outline outline_markdown(std::string_view text);
Outline outline_plain(std::string_view text, std::string_view language);
Outline outline_toml(std::string_view text);  // and ini files
Outline outline_xml(std::string_view text);
Outline outline_yaml(std::string_view text);

}  // namespace loci
