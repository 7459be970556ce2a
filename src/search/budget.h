// An answer that fits: whole texts, best first, within so many characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace loci {

// What is left of a budget. For one thread.
class Budget {
 public:
  explicit Budget(std::size_t characters) : left_(characters) {}

  // Takes the text if all of it fits; otherwise nothing is taken.
  bool take(std::string_view text);

  std::size_t left() const { return left_; }

 private:
  std::size_t left_;
};

}  // namespace loci
