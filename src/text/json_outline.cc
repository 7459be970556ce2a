// JSON and lines of JSON: by key and element, the outermost first. Written by people or by machines: a value begins
// with its line if nothing stands before it there, else where it stands.
#include "text/held_comment.h"
#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

class JsonOutliner {
 public:
  JsonOutliner(std::string_view text, Outline& outline) : text_(text), outline_(outline) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) at = read(at);
  }

 private:
  // Reads a sign or a string; the position after it.
  std::size_t read(std::size_t at) {
    const std::size_t after = read_token(at);
    if (!is_blank_character(text_[at])) line_is_blank_ = false;
    return after;
  }

  std::size_t read_token(std::size_t at) {
    switch (text_[at]) {
      case ' ':
      case '\t': return at + 1;
      case '\r':
      case '\n':
        line_start_ = at + 1;
        line_is_blank_ = true;
        if (depth_ == 0) expects_value_ = true;  // lines of JSON have no comma between them
        return at + 1;
      case ',': expects_value_ = true; return at + 1;
      case '{':
      case '[':
        begin_value(at);
        ++depth_;
        expects_value_ = true;
        return at + 1;
      case '}':
      case ']':
        if (depth_ > 0) --depth_;
        expects_value_ = false;
        return at + 1;
      case '/': return skip_comment(at);
      case '"': begin_value(at); return skip_string(at);
      default: begin_value(at); return at + 1;
    }
  }

  void begin_value(std::size_t at) {
    if (!expects_value_) return;
    expects_value_ = false;
    outline_.add(comment_.take_or(start_of(at)), depth_);
  }

  std::size_t start_of(std::size_t at) const { return line_is_blank_ ? line_start_ : at; }

  // A string that does not end in its line is a mistake, which ends there.
  std::size_t skip_string(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      if (text_[at] == '\\') {
        ++at;
      } else if (text_[at] == '"') {
        return at + 1;
      } else if (text_[at] == '\n') {
        return at;
      }
    }
    return text_.size();
  }

  // Some dialects have comments; they belong to the key below.
  std::size_t skip_comment(std::size_t at) {
    const bool is_line = text_.compare(at, 2, "//") == 0;
    if (!is_line && text_.compare(at, 2, "/*") != 0) return at + 1;
    const std::size_t start = start_of(at);
    if (start == line_start_ && expects_value_) comment_.hold(start);
    const std::size_t end = is_line ? text_.find('\n', at) : text_.find("*/", at);
    if (end == std::string_view::npos) return is_line ? text_.size() : at + 2;
    return is_line ? end : end + 2;
  }

  std::string_view text_;
  Outline& outline_;
  std::size_t depth_ = 0;
  std::size_t line_start_ = 0;
  bool line_is_blank_ = true;  // up to here
  HeldComment comment_;
  bool expects_value_ = true;
};

}  // namespace

Outline outline_json(std::string_view text) {
  Outline outline({.eager_ranks = 1});
  JsonOutliner(text, outline).run();
  return outline;
}

}  // namespace loci
