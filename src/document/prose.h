// Text that is put together paragraph by paragraph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace loci {

// An empty line between paragraphs and between tables and paragraphs, no other one, and none at the ends. Cells of a
// row are separated by tabs.
class Prose {
 public:
  explicit Prose(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void add(std::string_view text);
  void end_word() { wanted_ = std::max(wanted_, Break::word); }
  void end_cell() { wanted_ = std::max(wanted_, Break::cell); }
  void end_line() { wanted_ = std::max(wanted_, Break::line); }
  void end_paragraph() { wanted_ = Break::paragraph; }

  bool is_over_limit() const { return is_over_limit_; }
  // Would the next text stand behind a gap?
  bool is_after_break() const { return wanted_ != Break::none || text_.empty(); }
  std::string take() &&;

 private:
  enum class Break { none, word, cell, line, paragraph };  // the greater one wins

  std::size_t limit_bytes_;
  std::string text_;
  Break wanted_ = Break::none;  // before the next text
  bool is_over_limit_ = false;
};

}  // namespace loci
